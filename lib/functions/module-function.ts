import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { FunctionDeclaration } from '../../shared/module/declaration.ts';
import type { Grant } from '../../shared/module/grants.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import { logRetention } from '../configuration/stage.ts';
import { type GrantResources, statementsOf, wildcardReasons } from './grants.ts';

/** Just below the 30-second time-out of the HTTP API. */
export const DEFAULT_TIMEOUT_SECONDS = 29;

/** Memory, time limit and the like, as a module declares them. */
export type FunctionSize = Pick<
  FunctionDeclaration,
  'memoryMb' | 'timeoutSeconds' | 'architecture' | 'tempSpaceMb'
>;

export interface ModuleFunctionProps {
  readonly stage: string;
  /** Folder that holds `index.mjs` and its assets. */
  readonly bundle: string;
  readonly size: FunctionSize;
  readonly reservedConcurrency?: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Customer-managed key of stored data; AWS-managed keys by default. */
  readonly encryptionKey?: IKey | undefined;
}

/** A Lambda function with the platform's defaults, a role of its own and nothing granted but logging and tracing. */
export class ModuleFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ModuleFunctionProps) {
    super(scope, id);
    const { size } = props;
    this.timeout = Duration.seconds(size.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: logRetention(props.stage),
      ...(props.encryptionKey && { encryptionKey: props.encryptionKey }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(this.role);
    this.function = new LambdaFunction(this, 'Function', {
      runtime: Runtime.NODEJS_24_X,
      architecture: size.architecture === 'x86_64' ? Architecture.X86_64 : Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(props.bundle),
      role: this.role,
      logGroup,
      tracing: Tracing.ACTIVE,
      memorySize: size.memoryMb ?? 1024,
      ...(size.tempSpaceMb && { ephemeralStorageSize: Size.mebibytes(size.tempSpaceMb) }),
      timeout: this.timeout,
      reservedConcurrentExecutions: props.reservedConcurrency,
      environment: { ...props.environment },
      ...(props.encryptionKey && { environmentEncryption: props.encryptionKey }),
    });
    props.encryptionKey?.grantEncryptDecrypt(this.role);
    acknowledge(this.role, {
      'AwsSolutions::AwsSolutions-IAM5[Resource::*]':
        'X-Ray has no resources: AWS accepts xray:PutTraceSegments and xray:PutTelemetryRecords on * only.',
    });
    acknowledge(this.function, {
      'Serverless::Serverless-LambdaDLQ':
        'It is called by the HTTP API, by queues, which have dead-letter queues of their own, and by schedules, whose next call makes up for a lost one.',
    });
  }

  /** Lets this function call another one and wait for its answer. */
  mayCall(other: ModuleFunction): void {
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [other.function.functionArn],
      }),
    );
  }

  /** Grants what the declaration of a module lists; called once. */
  uses(grants: readonly Grant[], resources: GrantResources): this {
    for (const statement of statementsOf(this, grants, resources)) {
      this.role.addToPolicy(statement);
    }
    for (const grant of grants) acknowledge(this.role, wildcardReasons(grant, resources));
    return this;
  }
}
