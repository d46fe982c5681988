import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OperationObject } from '../../../shared/openapi/document.ts';
import { fillPlaceholders } from '../../../shared/openapi/placeholders.ts';
import { operations } from './whole-document.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
/** Parts of a page that is listed itself. */
const NOT_LISTED = ['getReferenceFile'];

function access({ description = '', security }: OperationObject): string {
  const [, permission] = /Needs the permission `([^`]+)`/.exec(description) ?? [];
  if (permission !== undefined) return permission;
  // Where data decides, a call may come with a token or without.
  return security.length === 0 ? 'public' : security.length > 1 ? 'entity' : 'token';
}

/** Paths as the README writes them: with the name of the property that decides their beginning. */
function written(path: string): string {
  return fillPlaceholders(path, (property) => `{${property.split('.').at(-1) ?? ''}}`);
}

describe('README', () => {
  it('lists every endpoint with its permission, and no other', () => {
    const table = readme.split('\n## Endpoints\n')[1]?.split('\n## ')[0] ?? '';
    const listed = [...table.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) (\S+) \| (\S+) \|/gm)].map(
      ([, method, path, permission]) => `${method} ${path} ${permission}`,
    );

    const actual = operations()
      .filter(({ operation }) => !NOT_LISTED.includes(operation.operationId))
      .map(
        ({ method, path, operation }) =>
          `${method.toUpperCase()} ${written(path)} ${access(operation)}`,
      );

    expect(listed.sort()).toEqual(actual.sort());
  });
});
