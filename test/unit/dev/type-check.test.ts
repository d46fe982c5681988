import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '../../../bin/dev/paths.ts';
import { errorsIn, TypeCheck, type TypeErrors } from '../../../bin/dev/watch/type-check.ts';

let root: string;
let results: TypeErrors[];
let check: TypeCheck;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'types-'));
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  const compilerOptions = { strict: true, types: [], lib: ['es2024'], noEmit: true };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['bin'] }));
  mkdirSync(join(root, 'bin'));
  results = [];
  check = new TypeCheck({
    root,
    buildInfo: join(root, 'types.tsbuildinfo'),
    onResult: (errors) => results.push(errors),
    quietMs: 10,
  });
});

afterEach(() => {
  check.cancel();
  rmSync(root, { recursive: true, force: true });
});

const host = (text: string) => writeFileSync(join(root, 'bin/host.ts'), text);
const result = () => vi.waitFor(() => expect(results).not.toEqual([]), { timeout: 120_000 });

describe('TypeCheck', () => {
  it('names file, line and column of what has a wrong type, and says when it is right again', async () => {
    host('export const host: { readonly listeners: number[] } = {\n  listeners: ["a"],\n};\n');
    check.start();
    await result();
    expect(results).toEqual([
      [expect.stringMatching(/^bin\/host\.ts:2:15: Type 'string' is not assignable .*\(TS2322\)$/)],
    ]);

    results = [];
    host('export const host = { listeners: [1] };\n');
    check.start();
    await result();
    expect(results).toEqual([[]]);
  });

  it('tells of the newest check only', async () => {
    host('export const host: number = "a";\n');
    check.start();
    host('export const host = 1;\n');
    check.start();
    await result();

    expect(results).toEqual([[]]);
  });

  it('begins once nothing has changed for a while', async () => {
    const project = join(root, 'project');
    const compiler = '#!/bin/sh\necho checked >> checks\n';
    mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(project, 'node_modules/.bin/tsc'), compiler, { mode: 0o755 });
    const onResult = (errors: TypeErrors) => results.push(errors);
    const own = new TypeCheck({ root: project, buildInfo: 'none', onResult, quietMs: 500 });

    for (let change = 0; change < 5; change += 1) {
      own.start();
      await sleep(20);
    }
    await result();

    expect(results).toEqual([[]]);
    expect(readFileSync(join(project, 'checks'), 'utf8')).toBe('checked\n');
  });

  it('shows a few errors and how many there are', () => {
    const output = Array.from({ length: 8 }, (_, i) => `a.ts(${i + 1},1): error TS1: no.`);

    const errors = errorsIn(output.join('\n'));

    expect(errors).toHaveLength(6);
    expect(errors[0]).toBe('a.ts:1:1: no. (TS1)');
    expect(errors.at(-1)).toBe('and 3 more: npx tsc shows all');
  });
});
