import { describe, expect, it } from 'vitest';
import { moduleFile } from '../../../../lib/bundling/module-files.ts';
import { svcSections } from '../../../../lib/configuration/svc-config.ts';
import { platformModules } from '../../../../lib/modules.ts';
import { actionOf, type Route } from '../../../../shared/http/route.ts';
import { undeployed } from '../../../../shared/openapi/api-module.ts';
import { describedConfig } from '../../../../shared/openapi/described-config.ts';

const switches = platformModules.flatMap(({ tags = [] }) => tags.flatMap(({ when = [] }) => when));
const config = describedConfig(svcSections(), [...new Set(switches)]);

const routes = await Promise.all(
  platformModules.flatMap((module) => {
    if (!module.routes) return [];
    const { file, factory } = module.routes;
    return [import(moduleFile(module, file)).then((table) => table[factory](undeployed(), config))];
  }),
).then((tables) => tables.flat() as Route[]);

/** Routes that change something, and whose path does not name it. */
const withoutName = routes
  .filter((each) => each.access.kind === 'permission' && actionOf(each) !== 'view')
  .filter(({ path, responses }) => !path.includes('{') && !(201 in responses));

describe('the audit of privileged calls', () => {
  it('is asked of many routes', () => {
    expect(withoutName.length).toBeGreaterThan(5);
  });

  it.each(withoutName.map((each) => [each.operationId, each] as const))(
    'says what %s was about',
    (_, { concerns, body, form, query }) => {
      if (body || form || query) expect(concerns).toBeDefined();
    },
  );
});
