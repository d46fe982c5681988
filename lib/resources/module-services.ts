import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { ArnFormat, Names, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import {
  type GeneratedSecret,
  jobFunctionName,
  type ModuleDeclaration,
  type StateMachineDeclaration,
} from '../../shared/module/declaration.ts';
import { moduleFolder } from '../bundling/module-files.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import { LOCAL_STAGE } from '../configuration/configuration.ts';
import { logRetention } from '../configuration/stage.ts';
import type { ModuleFunction } from '../functions/module-function.ts';
import type { SvcConfig } from '../modules.ts';
import { functionNames, jobsCalledBy, namedIn, tellCalled } from './called-functions.ts';
import type { Encryption } from './encryption.ts';
import type { Messaging } from './messaging.ts';
import { readDefinition } from './state-machine-definition.ts';

/** Properties of the state machines and schedules of a module. */
export interface ModuleServicesProps {
  readonly stage: string;
  readonly config: SvcConfig;
  readonly module: ModuleDeclaration;
  readonly encryption: Encryption;
  readonly messaging: Messaging;
}

/** The group of a module's schedules, and what they need. */
export interface ModuleSchedules {
  readonly group: string;
  /** Role of EventBridge Scheduler when a schedule is due. */
  readonly role: Role;
  readonly deadLetters: Queue;
}

/**
 * State machines, the schedule group and the secrets of a module. Their names are known before they exist: a state machine names
 * functions that themselves name the state machine.
 */
export class ModuleServices extends Construct {
  readonly schedules: ModuleSchedules | undefined;
  readonly stateMachines = new Map<string, StateMachine>();
  readonly #props: ModuleServicesProps;
  readonly #names: ReadonlyMap<string, string>;
  readonly #secrets: ReadonlyMap<string, Secret>;

  constructor(scope: Construct, id: string, props: ModuleServicesProps) {
    super(scope, id);
    this.#props = props;
    const { stateMachines = [], scheduleGroup, generatedSecrets } = props.module;
    this.#names = new Map(
      stateMachines.map(({ name }) => [
        name,
        Names.uniqueResourceName(new Construct(this, name), { maxLength: 80, separator: '-' }),
      ]),
    );
    this.schedules = scheduleGroup && this.#addScheduleGroup();
    this.#secrets = new Map(
      (generatedSecrets?.(props.config) ?? []).map((secret) => [
        secret.name,
        this.#addSecret(secret),
      ]),
    );
  }

  /** @throws Error when the module declares no such secret. */
  secretArn(name: string): string {
    const known = this.#secrets.get(name);
    // `Ref` is the ARN on AWS, but the name on the local cloud; this attribute is the ARN on both.
    if (known) return (known.node.defaultChild as CfnSecret).attrId;
    throw new Error(`The module ${this.#props.module.name} declares no secret ${name}`);
  }

  /** @throws Error when the module declares no such state machine. */
  stateMachineArn(name: string): string {
    return this.#arn('stateMachine', this.#nameOf(name));
  }

  /** Pattern of the executions of a state machine. */
  executionArns(name: string): string {
    return this.#arn('execution', `${this.#nameOf(name)}:*`);
  }

  /** Pattern of the schedules of the module. */
  get scheduleArns(): string {
    const { group } = this.#declaredSchedules();
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${group}/*`,
    });
  }

  /** The role that schedules of the module may be given. */
  get scheduleRole(): Role {
    return this.#declaredSchedules().role;
  }

  /**
   * Grants the functions of the module access, and puts the names into the environment of its own function.
   * @param portCalls names of the functions that the ports of each function call
   */
  connect(
    functions: ReadonlyMap<string, ModuleFunction>,
    portCalls: ReadonlyMap<string, readonly string[]> = new Map(),
  ): void {
    const { module } = this.#props;
    const byPortsOf = (name: string) => namedIn(functions, portCalls.get(name) ?? []);
    for (const name of (module.jobs ?? []).map((job) => jobFunctionName(module, job))) {
      tellCalled(functions.get(name), byPortsOf(name));
    }
    const main = functions.get(module.name);
    const called = new Map([...jobsCalledBy(module, functions), ...byPortsOf(module.name)]);
    const named = this.#names.size + called.size + this.#secrets.size;
    const hasNames = named > 0 || this.schedules !== undefined;
    if (!main || !hasNames) return;
    for (const each of called.values()) main.mayCall(each);
    for (const machine of module.stateMachines ?? []) this.#addStateMachine(machine, functions);
    this.#letSchedulesWork(main);
    main.function.addEnvironment('SVC_SERVICES', Stack.of(this).toJsonString(this.#facts(called)));
  }

  #addSecret({ name, description }: GeneratedSecret): Secret {
    const { key } = this.#props.encryption;
    const secret = new Secret(this, `Secret-${name}`, {
      description,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(key && { encryptionKey: key }),
    });
    acknowledge(secret, {
      'AwsSolutions::AwsSolutions-SMG4':
        'A new value is put by the operator: the module goes on with the former one beside it.',
    });
    return secret;
  }

  #addScheduleGroup(): ModuleSchedules {
    const group = this.#scheduleGroupName();
    const { account } = Stack.of(this);
    const deadLetters = this.#props.messaging.queue(this, 'ScheduleDeadLetters');
    acknowledge(deadLetters, {
      'AwsSolutions::AwsSolutions-SQS3': 'This is where calls of schedules end.',
      'Serverless::Serverless-SQSRedrivePolicy':
        'This is where calls of schedules end; an alarm rings when there is one.',
    });
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnEquals: {
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'scheduler',
              resource: 'schedule-group',
              resourceName: group,
            }),
          },
        },
      }),
    });
    deadLetters.grantSendMessages(role);
    return { group, role, deadLetters };
  }

  /** The local cloud judges the rights on every schedule as on one of the group `default`. */
  #scheduleGroupName(): string {
    if (this.#props.stage === LOCAL_STAGE) return 'default';
    const group = Names.uniqueResourceName(new Construct(this, 'Schedules'), {
      maxLength: 64,
      separator: '-',
    });
    return new CfnScheduleGroup(this, 'ScheduleGroup', { name: group }).name ?? group;
  }

  #letSchedulesWork(main: ModuleFunction): void {
    const target = this.#props.module.scheduleGroup?.target;
    if (!target || !this.schedules) return;
    const [action, resource] =
      target.kind === 'function'
        ? ['lambda:InvokeFunction', main.function.functionArn]
        : ['states:StartExecution', this.stateMachineArn(target.name)];
    this.schedules.role.addToPolicy(
      new PolicyStatement({ actions: [action], resources: [resource] }),
    );
  }

  #addStateMachine(
    { name, definitionFile }: StateMachineDeclaration,
    functions: ReadonlyMap<string, ModuleFunction>,
  ): void {
    const { module, stage, encryption } = this.#props;
    const own = [module.name, ...(module.jobs ?? []).map((job) => jobFunctionName(module, job))];
    const file = `${moduleFolder(module)}/${definitionFile}`;
    const definition = readDefinition(
      file,
      own.filter((each) => functions.has(each)),
    );
    const scope = new Construct(this, `Machine-${name}`);
    const role = new Role(scope, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com'),
    });
    let text = definition.text;
    for (const each of definition.functions) {
      const arn = functions.get(each)?.function.functionArn ?? '';
      text = text.replaceAll(`\${${each}}`, arn);
      role.addToPolicy(
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [arn] }),
      );
    }
    const logs = new LogGroup(scope, 'Logs', {
      retention: logRetention(stage),
      ...(encryption.key && { encryptionKey: encryption.key }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const machine = new StateMachine(scope, 'StateMachine', {
      stateMachineName: this.#nameOf(name),
      definitionBody: DefinitionBody.fromString(text),
      role,
      tracingEnabled: true,
      logs: { destination: logs, level: LogLevel.ALL, includeExecutionData: false },
    });
    acknowledge(role, {
      'AwsSolutions::AwsSolutions-IAM5[Resource::*]':
        'X-Ray and the log deliveries of Step Functions have no resources: AWS accepts these actions on * only.',
    });
    this.stateMachines.set(name, machine);
  }

  #facts(called: ReadonlyMap<string, ModuleFunction>) {
    const { scheduleGroup } = this.#props.module;
    const target = scheduleGroup?.target;
    return {
      ...(called.size > 0 && { functions: functionNames(called) }),
      ...(this.#secrets.size > 0 && {
        secrets: Object.fromEntries(
          [...this.#secrets].map(([name, { secretArn }]) => [name, secretArn]),
        ),
      }),
      stateMachines: Object.fromEntries(
        [...this.#names.keys()].map((name) => [name, this.stateMachineArn(name)]),
      ),
      ...(this.schedules && {
        schedules: {
          group: this.schedules.group,
          roleArn: this.schedules.role.roleArn,
          deadLetterArn: this.schedules.deadLetters.queueArn,
          ...(target?.kind === 'state-machine' && {
            targetArn: this.stateMachineArn(target.name),
          }),
        },
      }),
    };
  }

  #arn(resource: string, resourceName: string): string {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    return Stack.of(this).formatArn({ service: 'states', resource, resourceName, arnFormat });
  }

  #nameOf(name: string): string {
    const known = this.#names.get(name);
    if (known === undefined) {
      throw new Error(`The module ${this.#props.module.name} declares no state machine ${name}`);
    }
    return known;
  }

  #declaredSchedules(): ModuleSchedules {
    if (!this.schedules) {
      throw new Error(`The module ${this.#props.module.name} declares no schedule group`);
    }
    return this.schedules;
  }
}
