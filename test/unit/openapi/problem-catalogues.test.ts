import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { DeclaredProblem } from '../../../shared/problems/problem.ts';
import { whole } from './whole-document.ts';

type Catalogue = Readonly<Record<string, DeclaredProblem>>;

const root = join(import.meta.dirname, '../../..');
const sources = globSync('{functions,shared}/**/*.ts', { cwd: root }).map(
  (path) => [path, readFileSync(join(root, path), 'utf8')] as const,
);
const modules = await Promise.all(
  globSync('functions/*/errors.ts', { cwd: root }).map(
    async (path): Promise<[folder: string, Catalogue]> => [
      path.replace('errors.ts', ''),
      (await import(join(root, path))).problems,
    ],
  ),
);
/** The codes that some operation answers. */
const answered = new Set(Object.keys(whole.components.examples ?? {}));
/**
 * No operation has the method, is reached past CloudFront, or binds a port of a module that may be off: that of an
 * application does (notes), asks the port of printing for PDF/A, or has approved content rendered.
 */
const OF_NO_OPERATION = [
  'METHOD_NOT_ALLOWED',
  'EDGE_REQUIRED',
  'MODULE_OFF',
  'PDF_OPTION_NOT_SUPPORTED',
  // Callbacks of the editor are answered in the form of its protocol, which has no codes.
  'DOCS_CONTEXT_INVALID',
  'DOCS_CALLBACK_TOKEN_INVALID',
  'DOCS_CALLBACK_INVALID',
  'DOCS_SAVE_TOO_LARGE',
  'DOCS_SAVE_UNAVAILABLE',
  // Events of sources are answered in the form of RFC 8935, which has no codes of ours.
  'EVENT_UNAUTHENTICATED',
  'EVENT_INVALID',
  'OUTPUT_FORMAT_NOT_SUPPORTED',
  'APPROVAL_HASH_MISMATCH',
];

describe.each([
  ['shared/problems', '', 'httpProblems', httpProblems] as const,
  ...modules.map(([folder, catalogue]) => [folder, folder, 'problems', catalogue] as const),
])('the problems of %s', (_, folder, name, catalogue) => {
  it('are all made somewhere', () => {
    const texts = sources.filter(([path]) => path.startsWith(folder)).map(([, text]) => text);

    const unused = Object.keys(catalogue).filter(
      (entry) => !texts.some((text) => new RegExp(`\\b${name}\\.${entry}\\(`).test(text)),
    );

    expect(unused).toEqual([]);
  });

  it('are all declared by a route', () => {
    const codes = Object.values(catalogue).map(({ type }) => type.code);

    const undeclared = codes.filter((code) => !answered.has(code));

    expect(undeclared.filter((code) => !OF_NO_OPERATION.includes(code))).toEqual([]);
  });
});
