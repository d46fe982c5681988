import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { wholeApiDescription } from '../../../../bin/dev/openapi.ts';
import { aModule, stackOf, standaloneTemplate } from '../synthesise.ts';

const limitsOf = (template: Template) => {
  const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
  return { settings: stage?.Properties.RouteSettings, dependsOn: stage?.DependsOn ?? [] };
};
const routesOf = (template: Template): [string, string][] =>
  Object.entries(template.findResources('AWS::ApiGatewayV2::Route')).map(([id, { Properties }]) => [
    Properties.RouteKey,
    id,
  ]);
const limit = (rate: number, burst: number) => ({
  ThrottlingRateLimit: rate,
  ThrottlingBurstLimit: burst,
  DetailedMetricsEnabled: true,
});
const limited = (limits: unknown, modules = [aModule()]) =>
  Template.fromStack(stackOf(modules, { config: { 'web.route-limits': limits } }));

describe('limits of single routes', () => {
  const everything = () => standaloneTemplate({ stage: 'dev', config: { 'idp.enabled': true } });

  it('hold for what costs much or what anybody may call, below those of the stage', () => {
    const identity = '/api/v1/identity_provider';
    expect(limitsOf(everything()).settings).toEqual({
      'POST /broker/dispatch': limit(10, 20),
      'POST /broker/dead-letter/requeue': limit(2, 5),
      'POST /api/v1/templates/{templateId}/generate': limit(10, 20),
      'POST /api/v1/templates/{templateId}/preview': limit(10, 20),
      'POST /api/v1/templates/{templateId}/batches': limit(2, 5),
      [`GET ${identity}/{code}/login`]: limit(20, 40),
      [`GET ${identity}/{code}/callback`]: limit(20, 40),
      [`POST ${identity}/token`]: limit(20, 40),
      [`POST ${identity}/{code}/link`]: limit(20, 40),
      'POST /api/v1/synchronizer/event_receive/{code}': limit(20, 40),
      [`POST ${identity}/config_validator`]: limit(2, 5),
      'POST /api/v1/identity_source/config_validator': limit(2, 5),
      'POST /api/v1/identity_source/mapping_preview': limit(2, 5),
    });
  });

  it('are of routes that the API has, and of no module that is off', () => {
    const { paths } = wholeApiDescription();
    for (const key of Object.keys(limitsOf(everything()).settings)) {
      const [method = '', path = ''] = key.split(' ');
      expect(paths[path]?.[method.toLowerCase()], key).toBeDefined();
    }
    const { settings } = limitsOf(standaloneTemplate({ stage: 'dev' }));
    expect(Object.keys(settings).filter((key) => key.includes('/identity_'))).toEqual([]);
  });

  it('are those of svc.web.route-limits, which replace those of modules', () => {
    const own = aModule({
      routeLimits: () => [
        { route: 'POST /api/v1/orders', rate: 1, burst: 1 },
        { route: 'GET /api/v1/orders/{id}', rate: 2, burst: 2 },
      ],
    });
    const { settings } = limitsOf(
      limited(
        [
          { route: 'POST /api/v1/orders', rate: 7, burst: 9 },
          { route: 'ANY /api/v1/orders/{proxy+}', rate: 50, burst: 60 },
        ],
        [own],
      ),
    );

    expect(settings).toEqual({
      'POST /api/v1/orders': limit(7, 9),
      'GET /api/v1/orders/{id}': limit(2, 2),
      'ANY /api/v1/orders/{proxy+}': limit(50, 60),
    });
  });

  it('are set after their routes exist, once each, in the function of their module', () => {
    const template = limited('[{"route":"POST /api/v1/orders/{id}/pay","rate":5,"burst":5}]');
    const { settings, dependsOn } = limitsOf(template);
    const routes = routesOf(template);
    const keys = routes.map(([key]) => key);

    expect(keys.sort()).toEqual([
      'ANY /api/v1/orders',
      'ANY /api/v1/orders/{proxy+}',
      'POST /api/v1/orders/{id}/pay',
    ]);
    for (const key of Object.keys(settings)) {
      expect(dependsOn).toContain(routes.find(([each]) => each === key)?.[1]);
    }
    template.resourceCountIs('AWS::ApiGatewayV2::Integration', 1);
  });

  it('are none by default', () => {
    expect(limitsOf(Template.fromStack(stackOf([aModule()]))).settings).toBeUndefined();
  });

  it('of a path that no module has stop the synthesis', () => {
    expect(() => limited([{ route: 'POST /api/v1/order', rate: 1, burst: 1 }])).toThrow(
      /POST \/api\/v1\/order is below no path of a module that is on: \/api\/v1\/orders \(ROUTE_LIMIT_UNKNOWN\)/,
    );
  });

  it.each([
    [[{ route: '/api/v1/orders', rate: 1, burst: 1 }], 'must be a method and a path'],
    [[{ route: 'POST /api/v1/orders?x', rate: 1, burst: 1 }], 'must be a method and a path'],
    [[{ route: 'POST /api/v1/orders', rate: 0, burst: 1 }], 'route-limits'],
    [
      [1, 2].map((rate) => ({ route: 'POST /api/v1/orders', rate, burst: 1 })),
      'WEB_ROUTE_LIMIT_TWICE',
    ],
    ['not JSON', 'route-limits'],
  ])('such as %j are refused: %s', (limits, message) => {
    expect(() => limited(limits)).toThrow(message);
  });
});
