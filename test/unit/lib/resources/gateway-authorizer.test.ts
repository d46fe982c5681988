import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { sourceFile } from '../../../../lib/bundling/package-files.ts';
import { platformModules } from '../../../../lib/modules.ts';
import type { Route } from '../../../../shared/http/route.ts';
import { undeployed } from '../../../../shared/openapi/api-module.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';
import { aModule, stackOf, standaloneTemplate } from '../synthesise.ts';

const issuer = { issuer: 'https://login.example', audience: 'svc-cloud', algorithms: ['RS256'] };
const guarded = (issuers: readonly unknown[] = [issuer], stage = 'dev') =>
  standaloneTemplate({
    stage,
    config: {
      'security.gateway-authorizer': true,
      'security.issuers': issuers,
      'web.route-limits': [
        { route: 'POST /api/v1/setting/save', rate: 5, burst: 5 },
        { route: 'POST /api/v1/dynamic/{entity}', rate: 5, burst: 5 },
      ],
    },
  });
const kinds = (template: Template): Record<string, string> =>
  Object.fromEntries(
    Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => [
      Properties.RouteKey,
      Properties.AuthorizationType ?? 'NONE',
    ]),
  );

describe('svc.security.gateway-authorizer', () => {
  it('is off by default', () => {
    const template = standaloneTemplate({ stage: 'dev' });

    template.resourceCountIs('AWS::ApiGatewayV2::Authorizer', 0);
    expect(new Set(Object.values(kinds(template)))).toEqual(new Set(['NONE']));
  });

  it('verifies tokens below paths that are never public, and nowhere else', () => {
    const template = guarded();
    const of = (kind: string) =>
      Object.entries(kinds(template))
        .filter(([, each]) => each === kind)
        .map(([key]) => key)
        .sort();

    template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: 'https://login.example', Audience: ['svc-cloud'] },
    });
    template.resourceCountIs('AWS::ApiGatewayV2::Authorizer', 1);
    expect(of('JWT')).toEqual([
      'ANY /api/v1/preview',
      'ANY /api/v1/preview/{proxy+}',
      'ANY /api/v1/process-instance',
      'ANY /api/v1/process-instance/{proxy+}',
      'ANY /api/v1/setting',
      'ANY /api/v1/setting/{proxy+}',
      'ANY /api/v1/tasks',
      'ANY /api/v1/tasks/{proxy+}',
      'ANY /broker',
      'ANY /broker/{proxy+}',
      'POST /api/v1/setting/save',
      'POST /broker/dead-letter/requeue',
      'POST /broker/dispatch',
    ]);
    expect(of('NONE')).toEqual(
      expect.arrayContaining([
        '$default',
        'ANY /api/v1/health',
        // Links to the files of jobs need no token.
        'ANY /api/v1/entity-definitions/{proxy+}',
        'ANY /api/v1/dynamic/{proxy+}',
        'ANY /api/v1/{proxy+}',
        'POST /api/v1/dynamic/{entity}',
      ]),
    );
  });

  it.each([
    ['no issuer', []],
    ['two issuers', [issuer, { ...issuer, issuer: 'https://other.example' }]],
    ['keys at an address of their own', [{ ...issuer, jwksUri: 'https://keys.example/jwks' }]],
    ['algorithms that gateways do not verify', [{ ...issuer, algorithms: ['RS256', 'ES256'] }]],
    ['the default algorithms', [{ issuer: issuer.issuer, audience: issuer.audience }]],
  ])('stops the synthesis with %s', (_, issuers) => {
    expect(() => guarded(issuers)).toThrow('SECURITY_GATEWAY_AUTHORIZER');
  });

  it('stays out of the stage local, whose issuer has no discovery', () => {
    guarded([], 'local').resourceCountIs('AWS::ApiGatewayV2::Authorizer', 0);
  });

  it('covers no path of a module that does not say so', () => {
    const config = { 'security.gateway-authorizer': true, 'security.issuers': [issuer] };
    const template = Template.fromStack(stackOf([aModule()], { config }));

    expect(new Set(Object.values(kinds(template)))).toEqual(new Set(['NONE']));
  });
});

describe('paths that modules call private', () => {
  const config = loadConfig({
    mq: { 'app-code': 'shop', relay: { enabled: true }, 'broker-restful-enabled': true },
  });

  it.each(
    platformModules.flatMap((module) =>
      (module.privatePaths?.(config) ?? []).map((prefix) => ({ prefix, module })),
    ),
  )(
    'have no route without a token: $prefix',
    async ({ prefix, module: { name, routes, paths } }) => {
      const file = sourceFile(`functions/${name}/${routes?.file}`);
      const factory = (await import(file))[routes?.factory ?? ''];
      const all: readonly Route[] = factory(undeployed(), config);
      const below = all.filter(({ path }) => `${path}/`.startsWith(`${prefix}/`));

      expect(paths(config)).toContain(prefix);
      expect(below).not.toEqual([]);
      for (const { access, operationId } of below) {
        expect(['authenticated', 'permission'], operationId).toContain(access.kind);
      }
    },
  );
});
