import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localFolder } from '../../bin/dev/paths.ts';
import { bundleFunctions, functionEntries } from '../../lib/bundling/bundle.ts';
import { platformModules } from '../../lib/modules.ts';
import { faultBundle } from './harness/fault-bundle.ts';

const root = join(import.meta.dirname, '../..');
const outdir = join(localFolder, `bundles-without-faults-${process.pid}`);
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

/** Names of the points where a fault run may interrupt, as the sources have them. */
const pointsIn = (sources: string): string[] =>
  globSync(sources, { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .flatMap((code) => [...code.matchAll(/faultPoint\('([^']+)'\)/g)].map(([, name = '']) => name));
const points = pointsIn('{shared,functions}/**/*.ts');

describe('a production bundle', () => {
  it('has none of the points where a fault run may interrupt', () => {
    const entries = functionEntries(platformModules);

    bundleFunctions(entries, { outdir, runsHere: true });

    expect(points.length).toBeGreaterThanOrEqual(14);
    for (const { name } of entries) {
      const code = globSync(join(outdir, name, '*.mjs'))
        .map((file) => readFileSync(file, 'utf8'))
        .join('\n');
      for (const trace of ['svcFault', 'SVC_FAULTS', 'faultPoint', ...points]) {
        expect(code, `${trace} in ${name}`).not.toContain(trace);
      }
    }
  });

  it('is unlike the bundle of the fault runs, which has all of them', async () => {
    const code = readFileSync(await faultBundle(), 'utf8');

    // What these modules add is interrupted by unit tests, in the process of the test.
    const elsewhere = new Set(pointsIn('functions/{identity,settings,templates,workflow}/**/*.ts'));
    const interrupted = points.filter((point) => !elsewhere.has(point));
    for (const point of interrupted) expect(code).toContain(point);
  });
});
