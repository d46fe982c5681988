import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { App } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { addSecurityChecks } from '../../../../lib/configuration/checks.ts';
import type { ModuleDeclaration } from '../../../../shared/module/declaration.ts';
import { executions, schedules, sendsMail } from '../../../../shared/module/grants.ts';
import { checkCallsAgainstPolicies } from '../../../helpers/grants/check-calls-against-policies.ts';
import { readGrants } from '../../../helpers/grants/policy-grants.ts';
import { aModule, plain, stackOf, temporaryFolder } from '../synthesise.ts';

/** How a definition names a function. */
const functionNamed = (name: string): string => `\${${name}}`;

const DEFINITION = {
  StartAt: 'Read',
  States: {
    Read: { Type: 'Task', Resource: functionNamed('orders-worker'), Next: 'Is it done?' },
    'Is it done?': {
      Type: 'Choice',
      Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'Finish' }],
      Default: 'Read',
    },
    Finish: { Type: 'Task', Resource: functionNamed('orders'), End: true },
  },
};

function aModuleWithServices(
  definition: unknown = DEFINITION,
  more: Partial<ModuleDeclaration> = {},
): ModuleDeclaration {
  const folder = temporaryFolder();
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  writeFileSync(join(folder, 'sync.asl.json'), text);
  return {
    ...aModule({ folder, jobs: [{ name: 'worker', grants: () => [] }] }),
    grants: () => [
      executions('sync', ['StartExecution', 'StopExecution', 'DescribeExecution'], 'Runs.'),
      schedules(['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule', 'GetSchedule'], 'Times.'),
      sendsMail(['shop@example.com'], 'Greetings to new customers.'),
    ],
    stateMachines: [{ name: 'sync', definitionFile: 'sync.asl.json' }],
    scheduleGroup: { target: { kind: 'state-machine', name: 'sync' } },
    ...more,
  } as ModuleDeclaration;
}

const withIssuer = {
  'security.issuers': [{ issuer: 'https://login.example', audience: 'svc-cloud' }],
};
const stack = stackOf([aModuleWithServices()], { config: withIssuer, stackName: 'shop' });
const template = Template.fromStack(stack);
const services = JSON.stringify(
  Object.values(template.findResources('AWS::Lambda::Function')).find(
    ({ Properties }) => Properties.Environment.Variables.SVC_MODULE === 'orders',
  )?.Properties.Environment.Variables.SVC_SERVICES,
);
const only = (type: string) => {
  const [found, ...others] = Object.values(template.findResources(type));
  expect(others).toEqual([]);
  return found?.Properties;
};
const machineName = (): string => only('AWS::StepFunctions::StateMachine').StateMachineName;
const groupName = (): string => only('AWS::Scheduler::ScheduleGroup').Name;
const roleId = (): string =>
  Object.keys(template.findResources('AWS::IAM::Role')).find((id) => id.includes('ScheduleRole')) ??
  '';

const REGION = 'us-east-1:000000000000';
const arn = {
  machine: () => `arn:aws:states:${REGION}:stateMachine:${machineName()}`,
  execution: (name = machineName()) => `arn:aws:states:${REGION}:execution:${name}:run-1`,
  schedule: (group = groupName()) => `arn:aws:scheduler:${REGION}:schedule/${group}/s1`,
  role: () => `arn:aws:iam::000000000000:role/shop-${roleId()}-4F5G6H`,
  sender: (address: string) => `arn:aws:ses:${REGION}:identity/${address}`,
};

describe('a module with a state machine, schedules and mail', () => {
  it('has no finding of cdk-nag and no warning of the CDK', () => {
    const module = aModuleWithServices();
    const app = stackOf([module], { config: withIssuer, stage: 'prod' }).node.root as App;
    addSecurityChecks(app);
    try {
      app.synth();
    } catch (error) {
      if (!existsSync(join(app.outdir, 'validation-report.json'))) throw error;
    }
    const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'));

    expect(
      report.pluginReports.flatMap(({ violations }: { violations: unknown[] }) => violations),
    ).toEqual([]);
  });

  it('may do what it declares, and the recorder finds every call granted and every grant used', () => {
    const calls = [
      ['states:StartExecution', arn.machine()],
      ['states:StopExecution', arn.execution()],
      ['states:DescribeExecution', arn.execution()],
      ...['Create', 'Update', 'Delete', 'Get'].map((verb) => [
        `scheduler:${verb}Schedule`,
        arn.schedule(),
      ]),
      ['iam:PassRole', arn.role()],
      ['ses:SendEmail', arn.sender('shop@example.com')],
    ].map(([action = '', resource = '']) => ({ module: 'orders', action, resource }));

    const findings = checkCallsAgainstPolicies(calls, plain(template));

    expect(findings).toEqual({ missing: [], unused: [], needlesslyAccepted: [] });
  });

  it.each([
    ['states:StartExecution', () => `arn:aws:states:${REGION}:stateMachine:other`],
    ['states:StopExecution', () => arn.execution('other')],
    ['states:SendTaskSuccess', arn.machine],
    ['scheduler:CreateSchedule', () => arn.schedule('default')],
    ['scheduler:DeleteScheduleGroup', () => arn.schedule()],
    ['iam:PassRole', () => 'arn:aws:iam::000000000000:role/administrator'],
    ['ses:SendEmail', () => arn.sender('boss@example.com')],
    ['ses:SendRawEmail', () => arn.sender('shop@example.com')],
  ])('may do nothing else: %s', (action, resource) => {
    const call = { module: 'orders', action, resource: resource() };

    expect(checkCallsAgainstPolicies([call], plain(template)).missing).toHaveLength(1);
  });

  it('leaves its other functions without these rights', () => {
    const others = readGrants(plain(template)).filter(({ module }) => module !== 'orders');

    expect(JSON.stringify(others)).not.toMatch(/states:|scheduler:|ses:|iam:/);
  });

  it('hands on its role to EventBridge Scheduler only, and sends from its own address only', () => {
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 'iam:PassRole',
            Resource: { 'Fn::GetAtt': [roleId(), 'Arn'] },
            Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
          }),
          Match.objectLike({
            Action: 'ses:SendEmail',
            Condition: { StringEquals: { 'ses:FromAddress': ['shop@example.com'] } },
          }),
        ]),
      },
    });
    expect(only('AWS::SES::EmailIdentity')).toMatchObject({ EmailIdentity: 'shop@example.com' });
  });

  it('has roles that only their service may take, for schedules of its group only', () => {
    const [{ Properties } = { Properties: {} }] = Object.entries(
      template.findResources('AWS::IAM::Role'),
    )
      .filter(([id]) => id === roleId())
      .map(([, role]) => role);

    const [statement] = Properties.AssumeRolePolicyDocument.Statement;
    expect(statement).toMatchObject({
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    expect(JSON.stringify(statement.Condition.ArnEquals)).toContain(
      `:schedule-group/${groupName()}`,
    );
  });

  it('lets the state machine call the functions that its definition names, with logs and traces', () => {
    const machine = only('AWS::StepFunctions::StateMachine');

    expect(machine).toMatchObject({
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
    });
    expect(JSON.stringify(machine.DefinitionString)).not.toContain('${');
    const invoked = Object.values(template.findResources('AWS::IAM::Policy'))
      .filter(({ Properties }) => JSON.stringify(Properties.Roles).includes('Machinesync'))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => Action === 'lambda:InvokeFunction');
    expect(JSON.stringify(invoked)).toMatch(/ordersFunction.*ordersworkerFunction/s);
  });

  it('is told the names', () => {
    expect(services).toContain(`:stateMachine:${machineName()}`);
    expect(services).toContain(groupName());
    expect(services).toContain(roleId());
  });

  it('is watched: failed executions and schedules that reached nobody', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties,
    );

    expect(alarms.map(({ MetricName }) => MetricName)).toEqual(
      expect.arrayContaining(['ExecutionsFailed', 'ExecutionsTimedOut']),
    );
    expect(JSON.stringify(alarms)).toContain('Schedules of orders were due and reached nobody.');
    const dashboard = JSON.stringify(only('AWS::CloudWatch::Dashboard'));
    expect(dashboard).toContain('Executions');
    expect(dashboard).toContain('Schedules that reached nobody');
  });

  it('may have schedules that call its function', () => {
    const target = { kind: 'function' } as const;
    const module = aModuleWithServices(DEFINITION, { scheduleGroup: { target } });

    const policies = JSON.stringify(
      Template.fromStack(stackOf([module])).findResources('AWS::IAM::Policy', {
        Properties: { Roles: [{ Ref: Match.stringLikeRegexp('ScheduleRole') }] },
      }),
    );

    expect(policies).toContain('lambda:InvokeFunction');
    expect(policies).not.toContain('states:');
  });
});

describe('a definition of a state machine', () => {
  const states = DEFINITION.States;
  it.each([
    ['{', 'is not JSON'],
    [{ States: states }, 'has no StartAt'],
    [{ StartAt: 'Nowhere', States: states }, 'leads to the state Nowhere, which is not there'],
    [
      { ...DEFINITION, States: { ...states, Read: { ...states.Read, Next: 'Gone' } } },
      'leads to the state Gone',
    ],
    [
      {
        ...DEFINITION,
        States: { ...states, Finish: { ...states.Finish, Resource: functionNamed('settings') } },
      },
      'names the function settings; the module has orders, orders-worker',
    ],
  ])('stops the synthesis when it cannot work: %j', (definition, reason) => {
    expect(() => stackOf([aModuleWithServices(definition)])).toThrow(reason);
  });

  it('stops the synthesis when a grant names a state machine that is not declared', () => {
    const grants = () => [executions('gone', ['StartExecution'], 'Runs.')];

    expect(() => stackOf([aModuleWithServices(DEFINITION, { grants })])).toThrow(
      'The module orders declares no state machine gone',
    );
  });
});

it('a module without such services has none of them', () => {
  const empty = Template.fromStack(stackOf([aModule()]));

  for (const type of [
    'AWS::StepFunctions::StateMachine',
    'AWS::Scheduler::ScheduleGroup',
    'AWS::SES::EmailIdentity',
    'AWS::SQS::Queue',
  ]) {
    empty.resourceCountIs(type, 0);
  }
});
