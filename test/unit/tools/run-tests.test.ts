import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../../bin/dev/local-cloud/lock.ts';
import { projectRoot } from '../../../bin/dev/paths.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with commands of these names in place of the real ones. */
function commands(scripts: Readonly<Record<'npm' | 'vitest', string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-commands-'));
  folders.push(folder);
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}

/** Whether vitest is asked for the unit tests. */
const IS_UNIT = 'echo "$*" | grep -q -- "--project unit "';

const command = [process.execPath, join(projectRoot, 'test/tools/run-tests.ts')] as const;
const environment = (folder: string) => ({
  ...process.env,
  PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
});

/** Arguments for the reports that the names of failed tests are taken from. */
const REPORTS = / --reporter=\w+| --outputFile\.json=\S+/g;

function runTests(scripts: Readonly<Record<'npm' | 'vitest', string>>, ...args: string[]) {
  const [node, file] = command;
  const { status, stdout } = spawnSync(node, [file, ...args], {
    env: environment(commands(scripts)),
    encoding: 'utf8',
  });
  return { status, lines: stdout.replaceAll(REPORTS, '').split('\n') };
}

describe('npm test', () => {
  it('runs the checks and every project, and says that all is right', () => {
    const { status, lines } = runTests({ npm: 'echo npm $*', vitest: 'echo vitest $*' });

    expect(lines).toEqual([
      'vitest run --project cloud --project grants',
      'vitest run --project deployments --project faults',
      'npm run check',
      'vitest run --project unit --project unit-steps',
      '',
      'All checks and tests passed.',
      '',
    ]);
    expect(status).toBe(0);
  });

  it('names each project of the configuration', () => {
    const config = readFileSync(join(projectRoot, 'vitest.config.ts'), 'utf8');
    const projects = [...config.matchAll(/name: '([\w-]+)'/g)].map(([, name]) => name);

    const { lines } = runTests({ npm: '', vitest: 'echo $*' });

    const run = lines.flatMap((line) => [...line.matchAll(/--project ([\w-]+)/g)]);
    expect(run.map(([, name]) => name).sort()).toEqual(projects.sort());
  });

  it.each([
    ['a check', { npm: 'echo wrong type; exit 2', vitest: 'true' }],
    ['a unit test', { npm: 'true', vitest: `${IS_UNIT} && echo wrong type && exit 1; true` }],
    ['a journey', { npm: 'true', vitest: `${IS_UNIT} || { echo wrong type; exit 1; }` }],
  ])('fails with %s, and shows why', (_, scripts) => {
    const { status, lines } = runTests(scripts);

    expect(status).toBe(1);
    expect(lines).toEqual(expect.arrayContaining(['wrong type', 'Some failed: see above.']));
  });

  it('runs the tests that its arguments choose', () => {
    const { lines } = runTests({ npm: 'echo npm $*', vitest: 'echo vitest $*' }, 'test/unit/lib');

    expect(lines.slice(0, 2)).toEqual(['npm run check', 'vitest run test/unit/lib']);
  });

  it('ends what it has started when it is ended', async () => {
    const wait = 'echo $$ >> "$0.pids"; exec sleep 60';
    const folder = commands({ npm: wait, vitest: wait });
    const [node, file] = command;
    const run = spawn(node, [file], { env: environment(folder), stdio: 'ignore' });
    const pids = () =>
      ['npm', 'vitest']
        .map((name) => join(folder, `${name}.pids`))
        .flatMap((path) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []))
        .map(Number);
    await vi.waitFor(() => expect(pids()).toHaveLength(4), { timeout: 120_000 });

    run.kill('SIGTERM');
    const [code] = await once(run, 'exit');

    expect(code).toBe(1);
    expect(pids().filter(isAlive)).toEqual([]);
  });
});
