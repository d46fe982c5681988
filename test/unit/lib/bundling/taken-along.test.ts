import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { FunctionBuilder } from '../../../../bin/dev/build/function-builder.ts';
import { checkArchiveSize } from '../../../../lib/bundling/archive-size.ts';
import {
  bundleFunctions,
  functionEntries,
  functionsBuiltTogether,
} from '../../../../lib/bundling/bundle.ts';
import type { FunctionDeclaration } from '../../../../shared/module/declaration.ts';
import { aModule, stackOf, temporaryFolder } from '../synthesise.ts';

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const manifest = (name: string, version: string, more: object = {}): string =>
  JSON.stringify({ name, version, main: 'index.cjs', ...more });

/** A project with installed packages: `reader` reads a file beside it and needs `words` 1, `words` 2 is there too. */
function aProject(): string {
  const project = temporaryFolder();
  write(project, {
    'node_modules/reader/package.json': manifest('reader', '3.0.0', {
      dependencies: { words: '^1.0.0' },
      optionalDependencies: { '@native/arm': '*', '@native/intel': '*', '@native/absent': '*' },
      peerDependencies: { greeter: '*', seldom: '*' },
      peerDependenciesMeta: { seldom: { optional: true } },
    }),
    'node_modules/reader/index.cjs': `exports.text = require('words').word + require('node:fs').readFileSync(__dirname + '/data.txt', 'utf8');`,
    'node_modules/reader/data.txt': ' from a file',
    'node_modules/reader/node_modules/words/package.json': manifest('words', '1.0.0'),
    'node_modules/reader/node_modules/words/index.cjs': `exports.word = 'one';`,
    'node_modules/words/package.json': manifest('words', '2.0.0'),
    'node_modules/words/index.cjs': `exports.word = 'two';`,
    'node_modules/greeter/package.json': manifest('greeter', '1.0.0'),
    'node_modules/greeter/index.cjs': '',
    'node_modules/seldom/package.json': manifest('seldom', '1.0.0'),
    'node_modules/@native/arm/package.json': manifest('@native/arm', '1.0.0', {
      os: ['linux'],
      cpu: ['arm64'],
    }),
    'node_modules/@native/intel/package.json': manifest('@native/intel', '1.0.0', {
      os: ['!darwin'],
      cpu: ['x64'],
    }),
    'node_modules/fonts/package.json': manifest('fonts', '1.0.0'),
    'node_modules/fonts/files/a.woff2': 'font',
    'module/handler.ts': `export const handler = async () => 'plain';\n`,
    'module/pdf.handler.ts': `import { word } from 'words'; import { text } from 'reader'; export const handler = async () => [text, word];\n`,
    'module/assets/page.html': 'page',
    'module/pages/deep/a.html': 'a',
  });
  return project;
}

function entriesOf(project: string, pdf: Partial<FunctionDeclaration>) {
  const job = { name: 'pdf', grants: () => [], ...pdf };
  return functionEntries([aModule({ folder: join(project, 'module'), jobs: [job] })]);
}

function bundle(pdf: Partial<FunctionDeclaration>, project = aProject()): string {
  const outdir = join(project, 'out');
  bundleFunctions(entriesOf(project, pdf), { outdir });
  return outdir;
}

describe('packages that a function takes along', () => {
  it('lie in its archive as they are installed, each with the versions that it finds there', async () => {
    const out = bundle({ packages: ['words', 'reader'] });

    const { handler } = await import(join(out, 'orders-pdf/index.mjs'));

    expect(await handler()).toEqual(['one from a file', 'two']);
    expect(readFileSync(join(out, 'orders-pdf/index.mjs'), 'utf8')).not.toContain('from a file');
    expect(readdirSync(join(out, 'orders-pdf/node_modules')).toSorted()).toEqual([
      '@native',
      'greeter',
      'reader',
      'words',
    ]);
  });

  it('are in no archive of another function', () => {
    const out = bundle({ packages: ['words', 'reader'] });

    expect(readdirSync(join(out, 'orders')).toSorted()).toEqual(['assets', 'index.mjs']);
  });

  it.each([
    [undefined, ['arm']],
    ['x86_64', ['intel']],
  ] as const)('leave out builds for other machines than %s', (architecture, expected) => {
    const out = bundle({ packages: ['reader', 'words'], ...(architecture && { architecture }) });

    expect(readdirSync(join(out, 'orders-pdf/node_modules/@native'))).toEqual(expected);
  });

  it('stop the synthesis with their name when they are not installed', () => {
    expect(() => bundle({ packages: ['words', 'reader', '@printing/engine'] })).toThrow(
      /function orders-pdf: it takes along the npm package @printing\/engine, which is not installed: npm install @printing\/engine \(PACKAGE_MISSING\)/,
    );
  });

  it('stop the synthesis when one of them lacks what it needs', () => {
    const project = aProject();
    write(project, {
      'node_modules/words/package.json': manifest('words', '2.0.0', {
        peerDependencies: { 'a-peer': '^1.0.0' },
      }),
    });

    expect(() => bundle({ packages: ['words', 'reader'] }, project)).toThrow(
      /function orders-pdf: words needs the npm package a-peer/,
    );
  });

  it('are bundled by those functions that do not name them', () => {
    const project = aProject();
    const entries = entriesOf(project, { packages: ['reader'] });

    expect(functionsBuiltTogether(entries).map((each) => each.map(({ name }) => name))).toEqual([
      ['orders'],
      ['orders-pdf'],
    ]);
    bundleFunctions(entries, { outdir: join(project, 'out') });
    expect(readFileSync(join(project, 'out/orders-pdf/index.mjs'), 'utf8')).toContain('two');
  });

  it('are part of what the development tools build', async () => {
    const project = aProject();
    write(project, {
      'modules.ts': `export default [{ name: 'orders', deliveredAs: 'orders', folder: ${JSON.stringify(join(project, 'module'))},
        paths: () => [], grants: () => [], jobs: [{ name: 'pdf', grants: () => [], packages: ['words', 'reader'] }] }];`,
    });
    const outputFolder = join(project, 'built');
    const builder = new FunctionBuilder({
      outputFolder,
      minify: false,
      modulesEntry: join(project, 'modules.ts'),
    });

    const before = await builder.buildAll();
    write(project, { 'node_modules/reader/data.txt': ' from another file' });
    write(project, {
      'node_modules/reader/package.json': manifest('reader', '3.0.1', {
        dependencies: { words: '^1.0.0' },
      }),
    });
    const after = await builder.buildAssets();
    await builder.close();

    const { handler } = await import(join(outputFolder, 'orders-pdf/index.mjs'));
    expect(await handler()).toEqual(['one from another file', 'two']);
    const changed = after.filter(
      ({ name, checksum }) => before.find((each) => each.name === name)?.checksum !== checksum,
    );
    expect(changed.map(({ name }) => name)).toEqual(['orders-pdf']);
  });
});

describe('folders that a function takes along', () => {
  it('come from its module or from a package, beside the assets of the module', () => {
    const out = bundle({
      packages: ['words', 'reader'],
      assets: [
        { from: 'pages', as: 'pages' },
        { package: 'fonts', from: 'files', as: 'fonts' },
      ],
    });

    const assets = join(out, 'orders-pdf/assets');
    expect(readFileSync(join(assets, 'pages/deep/a.html'), 'utf8')).toBe('a');
    expect(readFileSync(join(assets, 'fonts/a.woff2'), 'utf8')).toBe('font');
    expect(readFileSync(join(assets, 'page.html'), 'utf8')).toBe('page');
    expect(readdirSync(join(out, 'orders/assets'))).toEqual(['page.html']);
    expect(existsSync(join(out, 'orders-pdf/node_modules/fonts'))).toBe(false);
  });

  it.each([
    [{ from: 'nothing', as: 'x' }, 'takes along the folder nothing of its module'],
    [{ package: 'fonts', from: 'none', as: 'x' }, 'takes along the folder none of fonts'],
    [{ package: 'no-fonts', from: 'files', as: 'x' }, 'npm install no-fonts'],
  ])('stop the synthesis when they are not there: %j', (folder, expected) => {
    expect(() => bundle({ packages: ['words', 'reader'], assets: [folder] })).toThrow(expected);
  });
});

describe('the size of an archive', () => {
  it('is checked unpacked, and what takes the most is named', () => {
    const folder = temporaryFolder();
    write(folder, {
      'index.mjs': 'x'.repeat(1_000),
      'node_modules/@a/b/lib/c.bin': 'x'.repeat(2_000_000),
      'assets/fonts/d.ttf': 'x'.repeat(1_000_000),
    });

    expect(() => checkArchiveSize('pdf', folder, 2_500_000)).toThrow(
      /function pdf: takes 2\.9 MB unpacked, at most 2\.4 MB fit: node_modules\/@a\/b 2 MB, assets\/fonts 1 MB, index\.mjs 0\.1 MB \(FUNCTION_TOO_LARGE\)/,
    );
    expect(() => checkArchiveSize('pdf', folder)).not.toThrow();
  });

  it('stops the synthesis above the 250 MB of Lambda', () => {
    const project = aProject();
    write(project, { 'module/heavy/part': 'x'.repeat(66_000_000) });
    const heavy = ['a', 'b', 'c', 'd'].map((as) => ({ from: 'heavy', as }));

    expect(() => bundle({ packages: ['words', 'reader'], assets: heavy }, project)).toThrow(
      /function orders-pdf: takes 251\.8 MB unpacked, at most 250 MB fit: assets\/a 63 MB/,
    );
  });
});

describe('the machine of a function', () => {
  it('has memory, space below /tmp and an architecture of its own', () => {
    const pdf = {
      name: 'pdf',
      memoryMb: 3_008,
      tempSpaceMb: 2_048,
      architecture: 'x86_64',
      grants: () => [],
    } as const;

    const functions = Template.fromStack(stackOf([aModule({ jobs: [pdf] })])).findResources(
      'AWS::Lambda::Function',
    );

    const [main, job] = Object.values(functions).map(({ Properties }) => Properties);
    expect(job).toMatchObject({
      MemorySize: 3_008,
      EphemeralStorage: { Size: 2_048 },
      Architectures: ['x86_64'],
    });
    expect(main).toMatchObject({ MemorySize: 1_024, Architectures: ['arm64'] });
    expect(main).not.toHaveProperty('EphemeralStorage');
  });
});
