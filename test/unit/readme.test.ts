import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problems as editorProblems } from '../../functions/editor/errors.ts';
import { problems as entitiesProblems } from '../../functions/entities/errors.ts';
import { problems as identityProblems } from '../../functions/identity/errors.ts';
import { problems as messagingProblems } from '../../functions/messaging/errors.ts';
import { problems as settingsProblems } from '../../functions/settings/errors.ts';
import { problems as templatesProblems } from '../../functions/templates/errors.ts';
import { problems as workflowProblems } from '../../functions/workflow/errors.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import { catalogueOf } from '../../shared/problems/problem.ts';
import { describeSvcProperties } from '../helpers/world/svc-config.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The rows of the table under a heading, cell by cell. */
function tableUnder(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function shownDefault(fallback: unknown): string {
  if (fallback === undefined) return 'none';
  if (fallback === '') return 'empty';
  if (Array.isArray(fallback)) return fallback.length > 0 ? fallback.join(', ') : 'none';
  return `\`${String(fallback)}\``;
}

describe('README', () => {
  it('lists every property with its default and meaning, and no other', () => {
    const documented = tableUnder('Configuration');

    const actual = describeSvcProperties().map(({ name, fallback, meaning }) => [
      name,
      shownDefault(fallback),
      meaning,
    ]);

    expect(documented).toEqual(actual);
  });

  it('lists every problem code with its status, and no other', () => {
    const documented = tableUnder('Problems').map(([code, status]) => `${code} ${status}`);

    const actual = [
      httpProblems,
      editorProblems,
      entitiesProblems,
      identityProblems,
      messagingProblems,
      settingsProblems,
      templatesProblems,
      workflowProblems,
    ]
      .flatMap((catalogue) => catalogueOf(catalogue))
      .map(({ code, status }) => `${code} ${status}`);

    expect(documented.sort()).toEqual(actual.sort());
  });

  it('gives every problem code one status', () => {
    const codes = tableUnder('Problems').map(([code]) => code);

    expect(codes).toEqual([...new Set(codes)]);
  });
});
