import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltFunction, FunctionBuilder } from '../../../bin/dev/build/function-builder.ts';
import { projectRoot } from '../../../bin/dev/paths.ts';

describe('functions under development', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-build-'));
  const outputFolder = join(folder, 'built');
  const handler = join(folder, 'handler.ts');
  const source = relative(projectRoot, handler);
  const builder = new FunctionBuilder({
    outputFolder,
    minify: false,
    modulesEntry: join(folder, 'modules.ts'),
  });
  let first: readonly BuiltFunction[];

  beforeAll(async () => {
    writeFileSync(
      join(folder, 'modules.ts'),
      `export default [{ name: 'parser', deliveredAs: 'parser', folder: ${JSON.stringify(folder)},
        paths: () => [], grants: () => [] }];`,
    );
    writeFileSync(
      handler,
      `import { parseCookie } from 'cookie';
       import { parse } from 'csv-parse/sync';
       export const handler = async () => [parseCookie('a=1'), parse('b,2')];`,
    );
    first = await builder.buildAll();
  });

  afterAll(async () => {
    await builder.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs what is built; each version of the text is a module of its own. */
  async function run(version: string): Promise<unknown> {
    const built = await import(`${join(outputFolder, 'parser', 'index.mjs')}?${version}`);
    return await built.handler();
  }

  const checksum = (built: readonly BuiltFunction[]): string | undefined =>
    built.find(({ name }) => name === 'parser')?.checksum;

  it('import packages of either module system, and parts of packages', async () => {
    expect(await run('first')).toEqual([{ a: '1' }, [['b', '2']]]);
  });

  it('are built anew from their sources alone', async () => {
    writeFileSync(
      handler,
      `import { parseCookie } from 'cookie';
       export const handler = async () => parseCookie('c=3');`,
    );

    const changed = await builder.buildChanged([source]);

    expect(await run('changed')).toEqual({ c: '3' });
    expect(checksum(changed)).not.toBe(checksum(first));
  });

  it('get a package that they did not import before', async () => {
    const folderOfPackage = join(outputFolder, 'parser', 'node_modules', 'leven');
    expect(existsSync(folderOfPackage)).toBe(false);
    writeFileSync(
      handler,
      `import leven from 'leven';
       export const handler = async () => leven('outbox', 'inbox');`,
    );

    await builder.buildChanged([source]);

    expect(await run('added')).toBe(3);
  });

  it('keep what was built when a package does not exist', async () => {
    writeFileSync(handler, `import none from 'no-such-package';\nexport const handler = none;`);

    await expect(builder.buildChanged([source])).rejects.toThrow(
      'Could not resolve "no-such-package"',
    );

    expect(await run('kept')).toBe(3);
  });
});
