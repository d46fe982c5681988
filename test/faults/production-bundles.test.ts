import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localFolder } from '../../bin/dev/paths.ts';
import { bundleFunctions, functionEntries } from '../../lib/bundle.ts';
import { platformModules } from '../../lib/modules.ts';

const outdir = join(localFolder, `bundles-without-faults-${process.pid}`);
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

describe('a production bundle', () => {
  it('has none of the points where a fault run may interrupt', { timeout: 60_000 }, () => {
    const entries = functionEntries(platformModules);

    bundleFunctions(entries, { outdir });

    for (const { name } of entries) {
      const code = readFileSync(join(outdir, name, 'index.mjs'), 'utf8');
      expect(code).not.toMatch(
        /svcFault|SVC_FAULTS|faultPoint|before-commit|after-commit|before-send|after-send|before-mark|relay\.after|relay\.before|consumer\.after|consumer\.before/,
      );
    }
  });
});
