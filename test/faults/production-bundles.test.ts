import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionEntries } from '../../lib/bundling/bundle.ts';
import { platformModules } from '../../lib/modules.ts';
import { platformBundles } from '../helpers/package/platform-bundles.ts';
import { faultBundle } from './harness/fault-bundle.ts';

const root = join(import.meta.dirname, '../..');

/** Names of the points where a fault run may interrupt, as the sources have them. */
const pointsIn = (sources: string): string[] =>
  globSync(sources, { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .flatMap((code) => [...code.matchAll(/faultPoint\('([^']+)'\)/g)].map(([, name = '']) => name));
const points = pointsIn('{shared,functions}/**/*.ts');

describe('a production bundle', () => {
  it('has none of the points where a fault run may interrupt', async () => {
    const { folder } = await platformBundles();

    expect(points.length).toBeGreaterThanOrEqual(14);
    for (const { name } of functionEntries(platformModules)) {
      const code = globSync(join(folder, name, '*.mjs'))
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
