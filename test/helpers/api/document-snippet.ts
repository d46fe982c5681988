import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../bin/dev/paths.ts';

/** The first TypeScript of a document of this project below a heading. */
export function snippetIn(file: string, heading: string): string {
  const [, section = ''] = readFileSync(join(projectRoot, file), 'utf8').split(`${heading}\n`);
  return /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
}

/** The listener that the README shows. */
export const readmeListener = (): string => snippetIn('README.md', '### A listener in ten lines');
