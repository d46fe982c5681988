import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunctions, functionEntries } from '../../../lib/bundling/bundle.ts';
import { buildApiDescription } from '../../../lib/bundling/openapi.ts';
import { platformModules } from '../../../lib/modules.ts';
import { whole } from './whole-document.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'api-description-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the bundle of the settings function', () => {
  const file = (name: string): Buffer => readFileSync(join(folder, 'bundles/settings', name));

  beforeAll(() => {
    const outdir = join(folder, 'bundles');
    const settings = functionEntries(platformModules).filter(({ name }) => name === 'settings');
    bundleFunctions(settings, { outdir });
  });

  it('comes with the whole description', () => {
    expect(JSON.parse(file('assets/openapi.json').toString())).toEqual(
      JSON.parse(JSON.stringify(whole)),
    );
  });

  it('comes with the reference page and its viewer', () => {
    const viewer = gunzipSync(file('assets/reference/swagger-ui-bundle.js.gz')).toString();

    expect(viewer).toContain('SwaggerUIBundle');
    expect(file('assets/reference/index.html').toString()).toContain('swagger-ui-bundle.js');
    expect(gunzipSync(file('assets/reference/swagger-ui.css.gz')).length).toBeGreaterThan(10_000);
  });

  it('keeps them apart from the code, which stays below 1 MB', () => {
    expect(file('index.mjs').length).toBeLessThan(1_000_000);
  });
});

describe('building the description again', () => {
  it('reads what has changed', () => {
    const entry = join(folder, 'routes.ts');
    const tags = [{ name: 'M', description: 'M.' }];
    const sources = [{ name: 'm', tags, routesFile: entry, factory: 'routes' }];
    const write = (summary: string) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        entry,
        `export const routes = () => [{
          operationId: 'getM', method: 'GET', path: '/m', summary: '${summary}',
          access: { kind: 'public' }, responses: { 204: { description: 'None' } },
        }];`,
      );
    };
    write('before');
    const before = buildApiDescription(sources);
    const { mtimeMs } = statSync(entry);

    const same = buildApiDescription(sources);
    while (statSync(entry).mtimeMs === mtimeMs) write('after');
    const after = buildApiDescription(sources);

    expect(same).toBe(before);
    expect(before.paths['/m']?.get?.summary).toBe('before');
    expect(after.paths['/m']?.get?.summary).toBe('after');
  });
});
