import { describe, expect, it } from 'vitest';
import { moduleFile } from '../../../../lib/bundling/module-files.ts';
import { svcSections } from '../../../../lib/configuration/svc-config.ts';
import { platformModules } from '../../../../lib/modules.ts';
import { actionOf, type Route } from '../../../../shared/http/route.ts';
import { auditedCall } from '../../../../shared/lambda/audit.ts';
import { undeployed } from '../../../../shared/openapi/api-module.ts';
import { describedConfig } from '../../../../shared/openapi/described-config.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';

const switches = platformModules.flatMap(({ tags = [] }) => tags.flatMap(({ when = [] }) => when));
const config = describedConfig(svcSections(), [...new Set(switches)]);

const routes = await Promise.all(
  platformModules.flatMap((module) => {
    if (!module.routes) return [];
    const { file, factory } = module.routes;
    return [import(moduleFile(module, file)).then((table) => table[factory](undeployed(), config))];
  }),
).then((tables) => tables.flat() as Route[]);

/** Those that know their caller: a capability names a right, and the access log keeps its use. */
const withCaller = routes.filter(({ access }) => access.kind !== 'capability');
const changing = withCaller.filter((each) => actionOf(each) !== 'view');
/** Routes that change something, and whose path does not name it. */
const withoutName = changing.filter(
  ({ path, responses }) => !path.includes('{') && !(201 in responses),
);
const caller = { ...systemPrincipal, id: 'demo', issuer: 'https://issuer.example' };

describe('the audit of calls that change something', () => {
  it.each(changing.map((each) => [each.operationId, each] as const))('names %s', (_, each) => {
    expect(auditedCall(each, caller)).toEqual({
      operation: each.operationId,
      principal: caller,
      concerns: {},
    });
  });

  it('is that of nearly every route with another method than GET, and of no GET', () => {
    const reading = withCaller.filter((each) => !changing.includes(each));

    expect(changing.length).toBeGreaterThan(130);
    expect(changing.filter(({ method }) => method === 'GET')).toEqual([]);
    expect(
      reading.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId),
    ).toEqual([
      'validateCmmn',
      'validateProcess',
      'previewProcess',
      'simulateProcess',
      'resolveBuiltinMergeFields',
      'validateIdentitySource',
      'previewIdentityMapping',
      'validateIdentityProvider',
    ]);
    expect(reading.map((each) => auditedCall(each, caller))).toEqual(reading.map(() => undefined));
  });

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
