import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchSources } from '../../../bin/dev/watch/watch-sources.ts';

const FILES = {
  'bin/host.ts': 'export const host = 1;\n',
  'bin/dev/start.ts': 'export {};\n',
  'functions/settings/service.ts': 'export const service = 1;\n',
  'functions/settings/domain/rules.ts': 'export const rules = 1;\n',
  'lib/index.ts': 'export {};\n',
  '.gitignore': 'other.ts\n',
  'shared/other.ts': 'export {};\n',
  'cdk.json': '{}\n',
  'package.json': '{}\n',
};

let folder: string;
let stop: () => Promise<void>;
let seen: { kind: string; path: string }[];

beforeEach(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'watched-'));
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  git('init', '--quiet', '--initial-branch=main');
  commit();
  seen = [];
  stop = await watchSources(folder, async (kind, paths) => {
    seen.push(...paths.map((path) => ({ kind, path })));
  });
});

afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    stdio: 'pipe',
  });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message=all');
}

const shell = (command: string) => execFileSync('sh', ['-c', command], { cwd: folder });

/** Waits until a change of the file is reported; reports before it count no more. */
async function reported(path: string): Promise<void> {
  await vi.waitFor(() => expect(seen.map((change) => change.path)).toContain(path), {
    timeout: 120_000,
    interval: 10,
  });
}

/** Waits until what is under way has been reported, and forgets it. */
async function quiet(): Promise<void> {
  const other = 'shared/other.ts';
  seen = [];
  write(other, `export const at = ${performance.now()};\n`);
  await reported(other);
  seen = [];
}

const HOST = 'bin/host.ts';
const replacements: Readonly<Record<string, () => void>> = {
  'a plain save': () => write(HOST, 'export const host = 2;\n'),
  'mv of another file over it': () => {
    write('elsewhere', 'export const host = 2;\n');
    renameSync(join(folder, 'elsewhere'), join(folder, HOST));
  },
  'sed -i': () => shell(`sed -i.bak 's/1/2/' ${HOST} && rm ${HOST}.bak`),
  'the save of an editor that keeps a backup': () => {
    renameSync(join(folder, HOST), join(folder, `${HOST}~`));
    write(HOST, 'export const host = 2;\n');
    rmSync(join(folder, `${HOST}~`));
  },
  'the atomic save of an editor': () => {
    write('bin/.host.ts.swp', 'export const host = 2;\n');
    renameSync(join(folder, 'bin/.host.ts.swp'), join(folder, HOST));
  },
  'deleting and writing it again': () => {
    rmSync(join(folder, HOST));
    write(HOST, 'export const host = 2;\n');
  },
};

describe('watchSources', () => {
  it.each(Object.entries(replacements))('follows a file through %s', async (_name, replace) => {
    for (let time = 0; time < 3; time += 1) {
      write(HOST, 'export const host = 1;\n');
      await quiet();

      replace();

      await reported(HOST);
    }
    await quiet();
    write(HOST, 'export const host = 3;\n');
    await reported(HOST);
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set([HOST]));
    expect(seen[0]?.kind).toBe('stack');
  });

  it('follows a file through git checkout', async () => {
    for (let time = 0; time < 3; time += 1) {
      write(HOST, `export const host = 'changed ${time}';\n`);
      await reported(HOST);
      await quiet();

      git('checkout', '--', HOST);

      await reported(HOST);
    }
    await quiet();
    write(HOST, 'export const host = 3;\n');
    await reported(HOST);
  });

  it('follows files through git stash and its return', async () => {
    const service = 'functions/settings/service.ts';
    write(HOST, 'export const host = 2;\n');
    write(service, 'export const service = 2;\n');
    await reported(HOST);
    await quiet();

    git('stash', '--quiet');
    await reported(HOST);
    await reported(service);
    await quiet();
    git('stash', 'pop', '--quiet');
    await reported(HOST);
    await reported(service);

    await quiet();
    write(service, 'export const service = 3;\n');
    await reported(service);
  });

  it('follows files and folders through a switch of branches', async () => {
    const rules = 'functions/settings/domain/rules.ts';
    git('switch', '--quiet', '--create', 'other');
    write(HOST, 'export const host = 2;\n');
    rmSync(join(folder, dirname(rules)), { recursive: true });
    write('functions/orders/service.ts', 'export {};\n');
    await reported('functions/orders/service.ts');
    commit();
    await quiet();

    git('switch', '--quiet', 'main');
    await reported(HOST);
    await reported(rules);
    await reported('functions/orders/service.ts');
    await quiet();
    git('switch', '--quiet', 'other');
    await reported('functions/orders/service.ts');
    await quiet();
    git('switch', '--quiet', 'main');
    await reported(rules);

    await quiet();
    write(rules, 'export const rules = 3;\n');
    await reported(rules);
    write(HOST, 'export const host = 3;\n');
    await reported(HOST);
  });

  it.each(['cdk.json', 'package.json'])('follows %s through replacements', async (file) => {
    for (let time = 0; time < 3; time += 1) {
      write('elsewhere', `{ "time": ${time} }\n`);
      renameSync(join(folder, 'elsewhere'), join(folder, file));
      await reported(file);
      await quiet();
    }
  });

  it('reports no command of its own, and nothing of an editor', async () => {
    write('bin/dev/start.ts', 'export const changed = true;\n');
    write('functions/settings/.service.ts.swp', '');
    write('functions/settings/service.ts~', '');
    write(HOST, 'export const host = 2;\n');

    await reported(HOST);

    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set([HOST]));
  });
});
