import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from '../../../bin/dev/paths.ts';

/** TypeScript of a document. */
export interface DocumentedCode {
  /** Name that its first line says (`// stack.ts`), else the document's with a number. */
  readonly file: string;
  readonly code: string;
}

const BLOCK = /^( *)```ts\n([\s\S]*?)^ *```$/gm;

/** All TypeScript of a document, as an application that installed the package writes it. */
export function documentedCode(document: string): DocumentedCode[] {
  const text = readFileSync(join(projectRoot, document), 'utf8');
  return [...text.matchAll(BLOCK)].map(([, indent = '', block = ''], index) => {
    const code = block
      .split('\n')
      .map((line) => line.slice(indent.length))
      .join('\n');
    const named = /^\/\/ ([\w-]+\.ts)\b/.exec(code)?.[1];
    return {
      file: named ?? `${basename(document, '.md').toLowerCase()}-${index + 1}.ts`,
      code: asApplication(code),
    };
  });
}

/** `bin/host.ts` and the examples lie in the repository and import from its folders. */
export function asApplication(code: string): string {
  return code
    .replaceAll(/'(?:\.\.\/)+functions\/(\w+)\/index\.ts'/g, "'svc-cloud/$1'")
    .replaceAll(/'(?:\.\.\/)+shared\/(host|module)\/(\w+)\.ts'/g, (_, folder, file) =>
      file === 'index' ? `'svc-cloud/${folder}'` : `'svc-cloud/${file}'`,
    );
}
