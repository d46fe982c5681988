import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import type { Grant } from '../../shared/module/grants.ts';

/** Resources that grants of state machines, schedules and generated secrets refer to. */
export interface GrantedServices extends IConstruct {
  stateMachineArn(name: string): string;
  executionArns(name: string): string;
  readonly scheduleArns: string;
  readonly scheduleRole: IRole;
  secretArn(name: string): string;
}

type ServiceGrant = Extract<
  Grant,
  { readonly on: 'state-machine' | 'schedules' | 'mail' | 'generated-secret' }
>;

/** The policy statements for executions, schedules, mail and generated secrets. */
export function serviceStatements(
  grant: ServiceGrant,
  services: GrantedServices,
): PolicyStatement[] {
  switch (grant.on) {
    case 'state-machine':
      return executionStatements(grant, services);
    case 'schedules':
      return [
        new PolicyStatement({
          actions: grant.actions.map((action) => `scheduler:${action}`),
          resources: [services.scheduleArns],
        }),
        ...(grant.actions.some((action) => /^(Create|Update)/.test(action))
          ? [passRole(services.scheduleRole)]
          : []),
      ];
    case 'generated-secret':
      return [
        new PolicyStatement({
          actions: ['secretsmanager:GetSecretValue'],
          resources: [services.secretArn(grant.name)],
        }),
      ];
    case 'mail':
      return [
        new PolicyStatement({
          actions: ['ses:SendEmail'],
          resources: grant.senders.map((sender) => senderArn(services, sender)),
          conditions: { StringEquals: { 'ses:FromAddress': [...grant.senders] } },
        }),
      ];
  }
}

/** Why such a grant has a wildcard, per finding of cdk-nag. */
export function serviceWildcards(grant: Grant, services: GrantedServices): Record<string, string> {
  const finding = (arn: string) =>
    `AwsSolutions::AwsSolutions-IAM5[Resource::${shown(services, arn)}]`;
  if (grant.on === 'schedules') {
    return {
      [finding(services.scheduleArns)]:
        `${grant.reason} Schedules are made at run time; only those of the module's group are reached.`,
    };
  }
  if (grant.on === 'state-machine' && grant.actions.some((action) => action !== 'StartExecution')) {
    return {
      [finding(services.executionArns(grant.name))]:
        `${grant.reason} Executions are named at run time; only those of one state machine are reached.`,
    };
  }
  return {};
}

/** Executions are stopped and described by their own addresses. */
function executionStatements(
  { name, actions }: Extract<Grant, { readonly on: 'state-machine' }>,
  services: GrantedServices,
): PolicyStatement[] {
  const starts = actions.filter((action) => action === 'StartExecution');
  const others = actions.filter((action) => action !== 'StartExecution');
  return (
    [
      [starts, services.stateMachineArn(name)],
      [others, services.executionArns(name)],
    ] as const
  ).flatMap(([allowed, resource]) =>
    allowed.length > 0
      ? [
          new PolicyStatement({
            actions: allowed.map((action) => `states:${action}`),
            resources: [resource],
          }),
        ]
      : [],
  );
}

function passRole(role: IRole): PolicyStatement {
  return new PolicyStatement({
    actions: ['iam:PassRole'],
    resources: [role.roleArn],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  });
}

/** An address as cdk-nag shows it. */
export function shown(scope: IConstruct, arn: string): string {
  const resolved: unknown = Stack.of(scope).resolve(arn);
  if (typeof resolved === 'string') return resolved;
  const { 'Fn::Join': join } = resolved as {
    readonly 'Fn::Join': readonly [string, readonly (string | { readonly Ref: string })[]];
  };
  return join[1].map((part) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join(join[0]);
}

/** The identity of a sender, as policies name it. */
function senderArn(scope: IConstruct, sender: string): string {
  return Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName: sender });
}
