import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bundleFunctions,
  bundleOptions,
  copyAssets,
  functionEntries,
} from '../../../../lib/bundling/bundle.ts';
import { platformModules } from '../../../../lib/modules.ts';
import { platformBundles } from '../../../helpers/package/platform-bundles.ts';
import { aModule, temporaryFolder } from '../synthesise.ts';

function writeFile(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const askingItsHost = `import host from '#host'; export const handler = async () => host.greeting;\n`;

describe('bundling', () => {
  it('puts the host that is named into every function, also from a path with spaces', async () => {
    const folder = join(temporaryFolder(), 'a host');
    mkdirSync(folder);
    const hostEntry = writeFile(folder, 'host.ts', `export default { greeting: 'hello' };\n`);
    const entry = writeFile(folder, 'handler.ts', askingItsHost);
    const outdir = join(folder, 'out');

    bundleFunctions([{ name: 'orders', entry }], { outdir, hostEntry });

    const { handler } = await import(join(outdir, 'orders/index.mjs'));
    expect(await handler()).toBe('hello');
  });

  it('takes the host that grants nothing when none is named', () => {
    const options = bundleOptions([], { outdir: 'out' });

    expect(options.alias?.['#host']).toMatch(/shared\/host\/default-host\.ts$/);
  });

  it('lets bundled CommonJS packages ask for modules of Node', async () => {
    const folder = temporaryFolder();
    writeFile(folder, 'old.cjs', `exports.separator = require('node:path').sep;\n`);
    const entry = writeFile(
      folder,
      'handler.ts',
      `import { separator } from './old.cjs'; export const handler = () => separator;\n`,
    );

    bundleFunctions([{ name: 'orders', entry }], { outdir: folder });

    const { handler } = await import(join(folder, 'orders/index.mjs'));
    expect(handler()).toBe('/');
  });

  it('copies the assets of a function beside it', () => {
    const folder = temporaryFolder();
    const assets = join(folder, 'assets');
    mkdirSync(join(assets, 'deep'), { recursive: true });
    writeFile(assets, 'deep/page.html', 'page');

    copyAssets([{ name: 'orders', entry: 'none', assets }], join(folder, 'out'));

    expect(readFileSync(join(folder, 'out/orders/assets/deep/page.html'), 'utf8')).toBe('page');
  });

  it('names file and line of what does not compile', () => {
    const folder = temporaryFolder();
    const entry = writeFile(folder, 'handler.ts', `import './missing.ts';\n`);

    expect(() => bundleFunctions([{ name: 'orders', entry }], { outdir: folder })).toThrow(
      /handler\.ts:1:7: ERROR: Could not resolve "\.\/missing\.ts"/,
    );
  });

  it('puts what is imported when it is needed into a file beside, for each function', async () => {
    const folder = temporaryFolder();
    writeFile(folder, 'seldom.ts', `export const answer = 'seldom needed';\n`);
    const entry = writeFile(
      folder,
      'handler.ts',
      `export const handler = async () => (await import('./seldom.ts')).answer;\n`,
    );
    const outdir = join(folder, 'out');

    const { outputs } = bundleFunctions(
      [
        { name: 'orders', entry },
        { name: 'bills', entry },
      ],
      { outdir },
    );

    for (const name of ['orders', 'bills']) {
      const index = join(outdir, name, 'index.mjs');
      expect(readFileSync(index, 'utf8')).not.toContain('seldom needed');
      expect(await (await import(index)).handler()).toBe('seldom needed');
      expect(readdirSync(join(outdir, name))).toHaveLength(2);
    }
    expect(Object.keys(outputs)).toHaveLength(4);
    expect(readdirSync(outdir)).toEqual(['bills', 'orders']);
  });

  it('writes source maps only when asked to', () => {
    const folder = temporaryFolder();
    const entry = writeFile(folder, 'handler.ts', 'export const handler = () => 1;\n');

    bundleFunctions([{ name: 'plain', entry }], { outdir: folder });
    bundleFunctions([{ name: 'mapped', entry }], { outdir: folder, sourceMaps: true });

    expect(existsSync(join(folder, 'plain/index.mjs.map'))).toBe(false);
    expect(existsSync(join(folder, 'mapped/index.mjs.map'))).toBe(true);
  });
});

describe('the functions', () => {
  it('of a module are its handler and its jobs', () => {
    const module = aModule({ jobs: [{ name: 'relay', grants: () => [] }] });

    expect(functionEntries([module])).toMatchObject([
      { name: 'orders', entry: expect.stringMatching(/functions\/orders\/handler\.ts$/) },
      {
        name: 'orders-relay',
        entry: expect.stringMatching(/functions\/orders\/relay\.handler\.ts$/),
      },
    ]);
  });

  it('of the platform bundle in one call, each below 1.5 MB', async () => {
    const { folder } = await platformBundles();

    for (const { name } of functionEntries(platformModules)) {
      expect(statSync(join(folder, name, 'index.mjs')).size, name).toBeLessThan(1_500_000);
    }
  });
});
