import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../lib/modules.ts';
import { PATH_PLACEHOLDERS } from '../../../shared/openapi/placeholders.ts';
import { operations, whole } from './whole-document.ts';

/** Sections that every function gets. */
const COMMON = ['config', 'mq', 'security', 'web'];

/** Every property that the description of a deployment depends on. */
function propertiesInUse(): string[] {
  const paths = Object.keys(whole.paths).join();
  const inPaths = Object.entries(PATH_PLACEHOLDERS).filter(([, text]) => paths.includes(text));
  const inSchemas = [...JSON.stringify(whole).matchAll(/"x-config":(\{[^}]*\})/g)].flatMap(
    ([, text = '{}']) => Object.values(JSON.parse(text) as Record<string, string>),
  );
  const conditions = operations().flatMap(({ operation }) => operation['x-when'] ?? []);
  return [...inPaths.map(([property]) => property), ...inSchemas, ...conditions];
}

describe('the function that serves the description', () => {
  it('is given every property that the description depends on', () => {
    const serving = platformModules.find(({ answersUnknownPaths }) => answersUnknownPaths);
    const given = [...COMMON, ...(serving?.configSections ?? [])];

    for (const property of propertiesInUse()) {
      expect(given, `configSections of the settings row, for ${property}`).toContain(
        property.split('.')[0],
      );
    }
  });
});
