import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../lib/modules.ts';
import { tailorApi } from '../../../shared/openapi/tailor-api.ts';
import { loadConfig } from '../../helpers/world/svc-config.ts';
import { standaloneTemplate } from '../lib/synthesise.ts';
import { operations, whole } from './whole-document.ts';

/** Sections that every function gets. */
const COMMON = ['config', 'mq', 'security', 'web'];

/** Every property that the description of a deployment depends on. */
function propertiesInUse(): string[] {
  const inPaths = [
    ...Object.keys(whole.paths)
      .join()
      .matchAll(/\/~([^~]+)~/g),
  ];
  const inSchemas = [...JSON.stringify(whole).matchAll(/"x-config":(\{[^}]*\})/g)].flatMap(
    ([, text = '{}']) => Object.values(JSON.parse(text) as Record<string, string>),
  );
  const conditions = operations().flatMap(({ operation }) => operation['x-when'] ?? []);
  return [...inPaths.map(([, property = '']) => property), ...inSchemas, ...conditions];
}

describe('the description of a deployment', () => {
  it.each([false, true])('names calls for tests where they are routed, test clock: %s', (isOn) => {
    const config = loadConfig(isOn ? { security: { 'test-clock': true } } : {}, { stage: 'local' });
    const modulesOn = platformModules.map(({ name }) => name);

    const paths = Object.keys(tailorApi(whole, { modulesOn, config }).paths);

    expect(paths.filter((path) => /clock/.test(path))).toEqual(
      isOn ? ['/api/v1/clock', '/api/v1/workflow/cmmn/clock:advance'] : [],
    );
  });
});

describe('the function that serves the description', () => {
  it('is given every property that the description depends on', () => {
    const docs = { enabled: true, 'document-server-url': 'https://docs.example.com' };
    const config = { docs: { ...docs, secret: 'x'.repeat(32) }, 'idp.enabled': true };
    const functions = standaloneTemplate({ config }).findResources('AWS::Lambda::Function');
    const [serving] = Object.values(functions)
      .map(({ Properties }) => Properties.Environment.Variables)
      .filter(({ SVC_MODULES_ON }) => SVC_MODULES_ON !== undefined);
    const given = [...COMMON, ...Object.keys(JSON.parse(serving.SVC_CONFIG))];

    expect(propertiesInUse()).toContain('dynamic.api-prefix');
    for (const property of propertiesInUse()) {
      const names = [property, property.split('.')[0]];
      expect(
        given.some((name) => names.includes(name)),
        `SVC_CONFIG, for ${property}`,
      ).toBe(true);
    }
  });
});
