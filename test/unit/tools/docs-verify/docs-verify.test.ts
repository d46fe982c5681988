import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../../bin/dev/paths.ts';
import { replay } from '../../../tools/docs-verify/replay.ts';
import { readVectors, type Vector } from '../../../tools/docs-verify/vectors.ts';

const path = join(projectRoot, 'test/fixtures/docs-verify/vectors.json');
const file = readVectors(readFileSync(path, 'utf8'));
const all = [...file.genuine, ...file.made];

const named = (name: string): Vector => {
  const found = all.find((vector) => vector.name === name);
  if (!found) throw new Error(`There is no vector ${name}`);
  return found;
};

describe('requests of a document server', () => {
  it.each(all.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    expect(await replay(vector, file)).toBeUndefined();
  });

  it('show every expectation', () => {
    const shown = new Set(all.flatMap(({ expect: members }) => Object.keys(members)));

    expect([...shown].sort()).toEqual([
      ...['authentic', 'claims', 'clientError', 'contextMismatch', 'headerPayload'],
      ...['mustNotFetch', 'mustNotFetchHost'],
    ]);
  });

  it.each([
    ['save', { authentic: false }, /instead of a refusal/],
    ['without-token', { authentic: true }, /signature is refused/],
    ['unknown-status', { authentic: true }, /instead of \{"error":0\}/],
    ['save', { claims: { status: 6 } }, /claims\.status is 2, not 6/],
    ['save', { headerPayload: { url: 'other' } }, /headerPayload\.url/],
    ['save', { clientError: true }, /is no refusal; stored/],
    ['save', { mustNotFetch: true }, /connections to 127\.0\.0\.1/],
    ['save', { mustNotFetchHost: '127.0.0.1' }, /a connection to 127/],
    ['download', { authentic: false }, /the header is accepted/],
    ['download-unsigned', { authentic: true }, /the header is refused/],
    ['save', { unheardOf: true }, /unheardOf/],
  ])('fail where they are not as expected: %s %j', async (name, expected, why) => {
    expect(await replay({ ...named(name), expect: expected }, file)).toMatch(why);
  });

  it('are counted in the last line; one that fails is the exit code', async () => {
    const made = [named('join'), { ...named('join'), name: 'wrong', expect: { authentic: false } }];
    const other = join(mkdtempSync(join(tmpdir(), 'svc-cloud-vectors-')), 'vectors.json');
    writeFileSync(other, JSON.stringify({ ...file, genuine: [], made }));

    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
      const given = [
        '--import',
        './test/tools/extensionless-imports.ts',
        'test/tools/docs-verify.ts',
      ];
      execFile(process.execPath, [...given, other], { cwd: projectRoot }, (error, stdout) =>
        resolve({ code: error?.code ?? 0, output: stdout }),
      );
    });

    expect(output.trim().split('\n')).toEqual([
      'ok join',
      expect.stringMatching(/^FAIL wrong: .+/),
      '{"passed":1,"failed":1}',
    ]);
    expect(code).toBe(1);
  });
});
