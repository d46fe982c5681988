import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bundleFunctions, copyAssets, functionEntries } from '../../../../lib/bundling/bundle.ts';
import { unpackFiles } from '../../../../shared/packed/unpack-files.ts';
import { aModule, temporaryFolder } from '../synthesise.ts';

const LARGE = 'the engine '.repeat(300_000);

/** A project with an installed engine of two files, and a cache of its own. */
function aProject(): string {
  const project = temporaryFolder();
  const files = {
    'node_modules/engine/package.json': JSON.stringify({ name: 'engine', version: '1.0.0' }),
    'node_modules/engine/wasm/engine.data': LARGE,
    'node_modules/engine/wasm/loader.cjs': 'loader',
    'module/handler.ts': `export const handler = async () => 'plain';\n`,
    'module/print.handler.ts': `export const handler = async () => 'prints';\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  vi.stubEnv('SVC_CLOUD_CACHE', join(project, 'cache'));
  return project;
}

function entriesOf(project: string, files = ['engine.data', 'loader.cjs'], owner = 'engine') {
  const packed = [{ package: owner, from: 'wasm', files, as: 'engine' }];
  const job = { name: 'print', grants: () => [], packed };
  return functionEntries([aModule({ folder: join(project, 'module'), jobs: [job] })]);
}

function bundle(project: string, files?: string[], owner?: string): string {
  const outdir = join(project, 'out');
  bundleFunctions(entriesOf(project, files, owner), { outdir });
  return join(outdir, 'orders-print/assets/engine');
}

const packedFolders = (project: string) => readdirSync(join(project, 'cache/svc-cloud/packed'));

afterEach(() => vi.unstubAllEnvs());

describe('files that a function takes along packed', () => {
  it('lie compressed in its archive, small ones as they are, and in no other archive', () => {
    const project = aProject();

    const engine = bundle(project);

    expect(readdirSync(engine).toSorted()).toEqual([
      'engine.data.zst',
      'loader.cjs',
      'packed.json',
    ]);
    expect(statSync(join(engine, 'engine.data.zst')).size).toBeLessThan(LARGE.length / 100);
    expect(readdirSync(join(project, 'out/orders'))).toEqual(['index.mjs']);
  });

  it('are packed as they were before their package compressed them; archives stay', async () => {
    const project = aProject();
    const wasm = join(project, 'node_modules/engine/wasm');
    writeFileSync(join(wasm, 'browser.br'), brotliCompressSync(Buffer.from(LARGE)));
    writeFileSync(join(wasm, 'fonts.tar.br'), 'an archive');

    const engine = bundle(project, ['browser.br', 'fonts.tar.br']);

    expect(readdirSync(engine).toSorted()).toEqual(['browser.zst', 'fonts.tar.br', 'packed.json']);
    const folder = await unpackFiles(engine, join(project, 'tmp'));
    expect(readFileSync(join(folder, 'browser'), 'utf8') === LARGE).toBe(true);
    expect(readFileSync(join(folder, 'fonts.tar.br'), 'utf8')).toBe('an archive');
  });

  it('are missed by the name of their package before code that imports it', () => {
    const project = aProject();
    const code = "import engine from 'no-engine';\nexport const handler = engine;\n";
    writeFileSync(join(project, 'module/print.handler.ts'), code);

    expect(() => bundle(project, ['engine.data'], 'no-engine')).toThrow(/PACKAGE_MISSING/);
  });

  it('are packed once for each version of their package', () => {
    const project = aProject();
    bundle(project);
    const [first = ''] = packedFolders(project);
    const before = statSync(join(project, 'cache/svc-cloud/packed', first, 'engine.data.zst'));
    bundle(project);
    expect(packedFolders(project)).toEqual([first]);
    const after = statSync(join(project, 'cache/svc-cloud/packed', first, 'engine.data.zst'));
    expect(after.mtimeMs).toBe(before.mtimeMs);

    const manifest = { name: 'engine', version: '1.0.1' };
    writeFileSync(join(project, 'node_modules/engine/package.json'), JSON.stringify(manifest));
    writeFileSync(join(project, 'node_modules/engine/wasm/loader.cjs'), 'another loader');
    const engine = bundle(project);

    expect(packedFolders(project)).toHaveLength(2);
    expect(readFileSync(join(engine, 'loader.cjs'), 'utf8')).toBe('another loader');
  });

  it('stop the synthesis when package or file are not there', () => {
    const project = aProject();

    expect(() => bundle(project, ['engine.wasm'])).toThrow(
      /function orders-print: packs engine.wasm of engine, which is not there \(ASSETS_MISSING\)/,
    );
    expect(packedFolders(project)).toEqual([]);
    expect(() => bundle(project, ['engine.data'], 'no-engine')).toThrow(
      /function orders-print: it takes along the npm package no-engine, which is not installed: npm install no-engine \(PACKAGE_MISSING\)/,
    );
  });

  it('are unpacked as they were, once for all who do it at the same time', async () => {
    const project = aProject();
    const engine = bundle(project);
    const temporary = join(project, 'tmp');

    const folders = await Promise.all([1, 2, 3].map(() => unpackFiles(engine, temporary)));

    expect(new Set(folders).size).toBe(1);
    expect(readdirSync(temporary)).toHaveLength(1);
    const [folder = ''] = folders;
    expect(readFileSync(join(folder, 'engine.data'), 'utf8') === LARGE).toBe(true);
    expect(readFileSync(join(folder, 'loader.cjs'), 'utf8')).toBe('loader');
  });

  it('are unpacked again when one of them is gone or cut off', async () => {
    const project = aProject();
    const engine = bundle(project);
    const temporary = join(project, 'tmp');
    const folder = await unpackFiles(engine, temporary);

    rmSync(join(folder, 'loader.cjs'));
    await unpackFiles(engine, temporary);
    expect(existsSync(join(folder, 'loader.cjs'))).toBe(true);

    writeFileSync(join(folder, 'engine.data'), 'the');
    await unpackFiles(engine, temporary);
    expect(statSync(join(folder, 'engine.data')).size).toBe(LARGE.length);
    expect(readdirSync(temporary)).toHaveLength(1);
  });

  it('leave nothing behind when they cannot be unpacked', async () => {
    const project = aProject();
    const engine = bundle(project);
    writeFileSync(join(engine, 'engine.data.zst'), 'no archive');

    await expect(unpackFiles(engine, join(project, 'tmp'))).rejects.toThrow();

    expect(readdirSync(join(project, 'tmp'))).toEqual([]);
  });
});

describe('files that a function on this machine takes along', () => {
  it('stay where they are, as they are', async () => {
    const project = aProject();
    const outdir = join(project, 'out');
    const temporary = join(project, 'tmp');

    copyAssets(entriesOf(project), outdir, { runsHere: true });
    const engine = join(outdir, 'orders-print/assets/engine');
    const folder = await unpackFiles(engine, temporary);

    expect(readdirSync(engine)).toEqual(['packed.json']);
    expect(readFileSync(join(folder, 'loader.cjs'), 'utf8')).toBe('loader');
    expect(statSync(join(folder, 'engine.data')).size).toBe(LARGE.length);
    expect([temporary, join(project, 'cache')].filter(existsSync)).toEqual([]);
  });

  it('are packed all the same when their package has compressed them', async () => {
    const project = aProject();
    const outdir = join(project, 'out');
    const browser = join(project, 'node_modules/engine/wasm/browser.br');
    writeFileSync(browser, brotliCompressSync(Buffer.from('the browser')));

    copyAssets(entriesOf(project, ['browser.br']), outdir, { runsHere: true });

    const engine = join(outdir, 'orders-print/assets/engine');
    const folder = await unpackFiles(engine, join(project, 'tmp'));
    expect(readFileSync(join(folder, 'browser'), 'utf8')).toBe('the browser');
  });

  it('stop the synthesis all the same when one is not there', () => {
    const entries = entriesOf(aProject(), ['engine.wasm']);

    expect(() => copyAssets(entries, temporaryFolder(), { runsHere: true })).toThrow(
      /function orders-print: packs engine.wasm of engine, which is not there \(ASSETS_MISSING\)/,
    );
  });
});
