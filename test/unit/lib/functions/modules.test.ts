import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../../lib/modules.ts';
import { aModule, stackOf, standaloneTemplate } from '../synthesise.ts';

type FunctionProperties = {
  Environment: { Variables: Record<string, string> };
  [property: string]: unknown;
};

function functionsByModule(template: Template): Record<string, FunctionProperties> {
  return Object.fromEntries(
    Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
      Properties.Environment.Variables.SVC_MODULE,
      Properties,
    ]),
  );
}

const routeKeys = (template: Template): string[] =>
  Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => Properties.RouteKey,
  );

/** Routes of what `svc.workflow.bpmn-endpoints-enabled` switches on. */
const PROCESS_ROUTES = ['/api/v1/process-instance', '/api/v1/preview'].flatMap((path) => [
  `ANY ${path}`,
  `ANY ${path}/{proxy+}`,
]);

describe('a module', () => {
  it('that is switched off gets no function, no role, no route and no queue', () => {
    const listeners = [{ topic: 'orders', group: 'billing' }];
    const off = aModule({ enabled: (config) => config.dynamic.enabled, listeners });

    const template = Template.fromStack(stackOf([off], { config: { 'dynamic.enabled': false } }));
    const switchedOn = Template.fromStack(stackOf([off], { config: { 'dynamic.enabled': true } }));

    for (const type of [
      'AWS::Lambda::Function',
      'AWS::IAM::Role',
      'AWS::ApiGatewayV2::Route',
      'AWS::SQS::Queue',
    ]) {
      template.resourceCountIs(type, 0);
      expect(Object.keys(switchedOn.findResources(type)), type).not.toHaveLength(0);
    }
  });

  it('of dynamic entities leaves nothing behind when it is switched off', () => {
    const of = (context: Record<string, string>): Template => standaloneTemplate({ context });
    // A function is told which ports are off.
    const traces = (template: Template): string[] =>
      JSON.stringify(template.toJSON())
        .replaceAll(/\\"entities\.record(?:s|-merges)\\":false/g, '')
        .match(/entities|dynamic|DYN_/gi) ?? [];

    const off = of({ 'svc.dynamic.enabled': 'false' });
    const on = of({});

    expect(Object.keys(functionsByModule(off))).not.toContain('entities');
    expect(Object.keys(functionsByModule(on))).toContain('entities');
    expect(routeKeys(on).filter((route) => !routeKeys(off).includes(route))).toEqual([
      'ANY /api/v1/entity-definitions',
      'ANY /api/v1/entity-definitions/{proxy+}',
      'ANY /api/v1/dynamic',
      'ANY /api/v1/dynamic/{proxy+}',
      'ANY /api/v1/{proxy+}',
    ]);
    expect(traces(on)).toEqual(expect.arrayContaining(['entities', 'dynamic', 'DYN_']));
    expect(traces(off)).toEqual([]);
  });

  it('of workflows leaves no function, route or schedule behind when it is switched off', () => {
    const of = (context: Record<string, string>): Template => standaloneTemplate({ context });
    const rules = (template: Template): number =>
      Object.values(template.findResources('AWS::Events::Rule')).filter((rule) =>
        JSON.stringify(rule).includes('workflow.sweep'),
      ).length;

    const off = of({ 'svc.workflow.enabled': 'false' });
    const on = of({});

    expect(Object.keys(functionsByModule(off))).not.toContain('workflow');
    expect(routeKeys(on).filter((route) => !routeKeys(off).includes(route))).toEqual([
      'ANY /api/v1/workflow',
      'ANY /api/v1/workflow/{proxy+}',
      'ANY /api/v1/tasks',
      'ANY /api/v1/tasks/{proxy+}',
      ...PROCESS_ROUTES,
    ]);
    expect([rules(on), rules(off)]).toEqual([1, 0]);
    expect(JSON.stringify(off.toJSON())).not.toMatch(/workflow/i);
  });

  it('of identity leaves nothing behind when it is switched off', () => {
    const of = (enabled: string) => standaloneTemplate({ context: { 'svc.idp.enabled': enabled } });

    const [on, off] = [of('true'), of('false')];

    expect(Object.keys(functionsByModule(off)).filter((name) => /identity/.test(name))).toEqual([]);
    expect(Object.keys(functionsByModule(on))).toEqual(
      expect.arrayContaining(['identity', 'identity-sync']),
    );
    expect(routeKeys(on).filter((route) => !routeKeys(off).includes(route))).toEqual([
      ...['identity_source', 'synchronizer', 'users', 'departments', 'identity_provider'].flatMap(
        (path) => [`ANY /api/v1/${path}`, `ANY /api/v1/${path}/{proxy+}`],
      ),
      // Routes with limits of their own.
      'GET /api/v1/identity_provider/{code}/login',
      'GET /api/v1/identity_provider/{code}/callback',
      'POST /api/v1/identity_provider/token',
      'POST /api/v1/identity_provider/{code}/link',
      'POST /api/v1/synchronizer/event_receive/{code}',
      'POST /api/v1/identity_provider/config_validator',
      'POST /api/v1/identity_source/config_validator',
      'POST /api/v1/identity_source/mapping_preview',
    ]);
    on.resourceCountIs('AWS::StepFunctions::StateMachine', 1);
    off.resourceCountIs('AWS::StepFunctions::StateMachine', 0);
    expect(JSON.stringify(off.toJSON())).not.toMatch(/identity_source|IdentitySync|svc-cloud-idp/);
  });

  it('of templates leaves nothing behind when it is switched off', () => {
    const of = (enabled: string) =>
      standaloneTemplate({ context: { 'svc.template.enabled': enabled } });

    const [on, off] = [of('true'), of('false')];

    const ofTemplates = (template: Template) =>
      Object.keys(functionsByModule(template)).filter((name) => /templates|pdf/.test(name));
    expect(ofTemplates(on)).toEqual(expect.arrayContaining(['templates']));
    expect(ofTemplates(off)).toEqual([]);
    expect(routeKeys(on).filter((route) => !routeKeys(off).includes(route))).toEqual([
      ...['templates', 'builtin-merge-fields', 'template-files'].flatMap((path) => [
        `ANY /api/v1/${path}`,
        `ANY /api/v1/${path}/{proxy+}`,
      ]),
      // Routes with limits of their own.
      'POST /api/v1/templates/{templateId}/generate',
      'POST /api/v1/templates/{templateId}/preview',
      'POST /api/v1/templates/{templateId}/batches',
    ]);
    expect(JSON.stringify(off.toJSON())).not.toMatch(/TPL|svc-cloud-template|documents\/previews/);
  });

  it('of workflows has no route and no right of processes when those are switched off', () => {
    const context = { 'svc.workflow.bpmn-endpoints-enabled': 'false' };
    const [on, off] = [standaloneTemplate(), standaloneTemplate({ context })];

    expect(routeKeys(on).filter((route) => !routeKeys(off).includes(route))).toEqual(
      PROCESS_ROUTES,
    );
    expect(JSON.stringify(on.toJSON())).toContain('PROC#*');
    expect(JSON.stringify(off.toJSON())).not.toContain('PROC#');
  });

  it('gets its paths from the configuration', () => {
    const module = aModule({ paths: (config) => [`${config.dynamic.apiPrefix}/dynamic`] });

    const template = Template.fromStack(
      stackOf([module], { config: { dynamic: { 'api-prefix': '/rest' } } }),
    );

    template.hasResourceProperties('AWS::ApiGatewayV2::Route', {
      RouteKey: 'ANY /rest/dynamic/{proxy+}',
    });
  });

  it('may have a second function with a size of its own', () => {
    const relay = { name: 'relay', memoryMb: 512, timeoutSeconds: 60, grants: () => [] };
    const module = aModule({ jobs: [{ ...relay, reservedConcurrency: 2 }] });

    const functions = functionsByModule(Template.fromStack(stackOf([module])));

    expect(functions).toMatchObject({
      orders: { MemorySize: 1024, Timeout: 29 },
      'orders-relay': { MemorySize: 512, Timeout: 60, ReservedConcurrentExecutions: 2 },
    });
  });

  it('may have a concurrency that follows from configuration and stage', () => {
    const job = {
      name: 'print',
      grants: () => [],
      reservedConcurrencyFor: (_config: unknown, stage: string) =>
        stage === 'prod' ? 7 : undefined,
    };
    const modules = [aModule({ jobs: [job] })];

    const [inProduction, elsewhere] = ['prod', 'test'].map((stage) =>
      functionsByModule(Template.fromStack(stackOf(modules, { stage }))),
    );

    expect(inProduction?.['orders-print']).toMatchObject({ ReservedConcurrentExecutions: 7 });
    expect(elsewhere?.['orders-print']).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('may call its jobs that are on, and is told their names', () => {
    const jobs = [
      { name: 'print', grants: () => [] },
      { name: 'scan', grants: () => [], enabled: () => false },
      { name: 'sweep', grants: () => [] },
    ];
    const template = Template.fromStack(stackOf([aModule({ jobs, calls: ['print', 'scan'] })]));

    const { orders } = functionsByModule(template);

    const print = template.findResources('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: { SVC_MODULE: 'orders-print' } } },
    });
    const [logicalId = ''] = Object.keys(print);
    expect(orders?.Environment.Variables.SVC_SERVICES).toEqual({
      'Fn::Join': [
        '',
        [
          expect.stringMatching(/"functions":\{"print":"$/),
          { Ref: logicalId },
          expect.stringMatching(/^"\}/),
        ],
      ],
    });
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements.filter(({ Action }) => Action === 'lambda:InvokeFunction')).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [logicalId, 'Arn'] },
      },
    ]);
  });

  it('is told which modules are on when it answers for all', () => {
    const settings = aModule({ name: 'settings', answersUnknownPaths: true });
    const off = aModule({ name: 'sales', enabled: () => false });

    const functions = functionsByModule(
      Template.fromStack(stackOf([settings, aModule({ paths: () => ['/o'] }), off])),
    );

    expect(functions.settings?.Environment.Variables.SVC_MODULES_ON).toBe('["settings","orders"]');
    expect(functions.orders?.Environment.Variables).not.toHaveProperty('SVC_MODULES_ON');
  });
});

describe('the settings function', () => {
  const functions = functionsByModule(standaloneTemplate({ stage: 'prod' }));

  it('runs on Node 24 and ARM with tracing and a log group of its own', () => {
    expect(functions.settings).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogGroup: { Ref: expect.any(String) } },
    });
  });

  it('finds stage, resources and what differs from the defaults in its environment', () => {
    const variables = functions.settings?.Environment.Variables ?? {};

    expect(Object.keys(variables).sort()).toEqual([
      'AWS_SDK_UA_APP_ID',
      'BUCKET_NAME',
      'EVENT_BUS_NAME',
      'POWERTOOLS_SERVICE_NAME',
      'SVC_CONFIG',
      'SVC_MODULE',
      'SVC_MODULES_ON',
      'SVC_PORT_USERS',
      'SVC_STAGE',
      'SVC_VERSION',
      'TABLE_NAME',
    ]);
    expect(variables).toMatchObject({
      SVC_STAGE: 'prod',
      SVC_MODULES_ON: '["settings","entities","workflow","messaging","templates"]',
      SVC_PORT_USERS: '{"settings.re-encryption":["entities"]}',
    });
    expect(JSON.parse(variables.SVC_CONFIG ?? '')).toMatchObject({
      mq: { transport: 'broker', 'app-code': 'svc-cloud' },
    });
  });

  it.each([
    ['local', 7],
    ['dev', 30],
    ['prod', 90],
  ])('keeps its logs on the stage %s for %i days', (stage, days) => {
    const groups = Object.values(
      standaloneTemplate({ stage }).findResources('AWS::Logs::LogGroup'),
    );

    expect(new Set(groups.map(({ Properties }) => Properties.RetentionInDays))).toEqual(
      new Set([days]),
    );
  });
});

describe('the table of modules', () => {
  it('names each module once', () => {
    const names = platformModules.map(({ name }) => name);

    expect(names).toEqual([...new Set(names)]);
  });
});
