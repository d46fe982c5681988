import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../../lib/modules.ts';
import { aModule, stackOf, standaloneTemplate } from '../synthesise.ts';

const standard = standaloneTemplate({ stage: 'dev' });
/** They need a document server, and sources of identities. */
const OFF = ['editor', 'identity'];

function routeKeys(template: Template): string[] {
  return Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => Properties.RouteKey,
  );
}

describe('routes', () => {
  it('send each path prefix and all below to its module, and unknown paths to the settings', () => {
    const prefixes = [
      '/api/v1/setting',
      '/api/v1/health',
      '/api/v1/openapi.json',
      '/api/v1/reference',
      '/api/v1/entity-definitions',
      '/api/v1/dynamic',
      '/api/v1/workflow',
      '/api/v1/tasks',
      '/api/v1/process-instance',
      '/api/v1/preview',
      '/api/v1/templates',
      '/api/v1/builtin-merge-fields',
      '/api/v1/template-files',
      '/broker',
    ];

    expect(routeKeys(standard).sort()).toEqual(
      [
        '$default',
        // What lies below the prefix of the records and is no other module's may be the path of an entity.
        'ANY /api/v1/{proxy+}',
        // Routes with limits of their own.
        'POST /broker/dispatch',
        'POST /broker/dead-letter/requeue',
        'POST /api/v1/templates/{templateId}/generate',
        'POST /api/v1/templates/{templateId}/preview',
        'POST /api/v1/templates/{templateId}/batches',
        ...prefixes.flatMap((prefix) => [`ANY ${prefix}`, `ANY ${prefix}/{proxy+}`]),
      ].sort(),
    );
  });

  it('share one integration and one permission per function', () => {
    const byGateway = { Properties: { Principal: 'apigateway.amazonaws.com' } };
    const modules = platformModules.filter(({ name }) => !OFF.includes(name)).length;

    standard.resourceCountIs('AWS::ApiGatewayV2::Integration', modules);
    expect(Object.keys(standard.findResources('AWS::Lambda::Permission', byGateway))).toHaveLength(
      modules,
    );
  });

  it('let pages of the document server call the API where there is one', () => {
    const config = {
      docs: {
        enabled: true,
        'document-server-url': 'https://docs.example.com/x',
        secret: 'x'.repeat(32),
      },
      web: { 'cors-origins': ['https://shop.example.com'] },
    };

    const withEditor = Template.fromStack(stackOf(platformModules, { config }));

    withEditor.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['https://shop.example.com', 'https://docs.example.com'],
      },
    });
    expect(routeKeys(withEditor)).toContain('ANY /api/v1/docs/callback');
    withEditor.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'DocsSaveFailed' });
  });

  it.each([
    ['/api/v1/orders', '/api/v1/orders'],
    ['/api/v1/orders', '/api/v1/orders/dynamic'],
    ['/api/v1/orders/dynamic', '/api/v1/orders'],
  ])('of two modules may not hide each other: %s and %s', (path, other) => {
    const twins = [
      aModule({ name: 'orders', paths: () => [path] }),
      aModule({ name: 'sales', paths: () => [other] }),
    ];

    expect(() => stackOf(twins)).toThrow(
      `path ${other} of sales: meets ${path} of orders; one would hide routes of the other`,
    );
  });

  it('of one module may lie below each other, and of two side by side', () => {
    const modules = [
      aModule({ name: 'orders', paths: () => ['/api/v1/orders', '/api/v1/orders/callback'] }),
      aModule({ name: 'sales', paths: () => ['/api/v1/orders-archive'] }),
    ];

    expect(routeKeys(Template.fromStack(stackOf(modules)))).toHaveLength(6);
  });
});

describe('the stage', () => {
  it('is throttled as configured', () => {
    const slow = standaloneTemplate({
      stage: 'dev',
      config: { web: { 'rate-limit': 7, 'burst-limit': 9 } },
    });

    standard.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    });
    slow.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
  });

  it('writes one JSON line per request', () => {
    const [stage] = Object.values(standard.findResources('AWS::ApiGatewayV2::Stage'));
    const format = JSON.parse(stage?.Properties.AccessLogSettings.Format);

    expect(format).toMatchObject({
      requestId: '$context.requestId',
      routeKey: '$context.routeKey',
      status: '$context.status',
      responseLatencyMs: '$context.responseLatency',
    });
  });

  it('answers at the root', () => {
    standard.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
    });
  });
});

describe('cross-origin calls', () => {
  it('are off unless an origin is configured', () => {
    const [api] = Object.values(standard.findResources('AWS::ApiGatewayV2::Api'));

    expect(api?.Properties.CorsConfiguration).toBeUndefined();
  });

  it('are allowed for the configured origins, with the headers that clients send and read', () => {
    const template = Template.fromStack(
      stackOf([aModule()], { config: { 'web.cors-origins': ['https://app.example'] } }),
    );

    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['https://app.example'],
        AllowMethods: ['*'],
        AllowHeaders: [
          'authorization',
          'content-type',
          'if-match',
          'if-none-match',
          'idempotency-key',
          'x-trace-id',
          'traceparent',
        ],
        ExposeHeaders: [
          'etag',
          'location',
          'retry-after',
          'x-trace-id',
          'idempotency-replayed',
          'accept-ranges',
          'content-disposition',
          'content-range',
        ],
        MaxAge: 600,
      },
    });
  });
});
