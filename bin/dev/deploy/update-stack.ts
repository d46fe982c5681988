import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
  type StackEvent,
  type StackResourceSummary,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { localClientConfig } from '../local-cloud/aws-client.ts';
import { CommandError, messageOf } from '../terminal/command-error.ts';
import type { Assembly } from './assembly.ts';

/** Result of a deployment. */
export type StackChange = 'created' | 'updated' | 'unchanged';

/** Progress of a deployment. */
export type DeployProgress = (done: number, total: number) => void;

/** The stack as it is deployed. */
export interface DeployedStack {
  readonly outputs: Readonly<Record<string, string>>;
  readonly resources: readonly StackMember[];
}

/** One resource of a deployed stack. */
export interface StackMember {
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
}

/** Physical ids of a stack by logical id. */
export function physicalIds({ resources }: DeployedStack): Record<string, string> {
  return Object.fromEntries(resources.map(({ logicalId, physicalId }) => [logicalId, physicalId]));
}

const pollMs = 80;
const capabilities = ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'] as const;

/** Creates, updates and reads one stack of a local cloud through its CloudFormation. */
export class StackDeployer {
  readonly #client: CloudFormationClient;
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
    this.#client = new CloudFormationClient(localClientConfig(endpoint));
  }

  close(): void {
    this.#client.destroy();
  }

  /**
   * Brings the stack to the state of the template, whose assets have been published.
   * @throws CommandError with the reasons that CloudFormation gives; the stack is then as it was before.
   */
  async deploy(assembly: Assembly, onProgress: DeployProgress): Promise<StackChange> {
    const { stackName } = assembly;
    const total = Object.keys(assembly.template.Resources).length;
    const existing = await this.#existing(stackName);
    const startedAt = new Date(Date.now() - 1000);
    const action = existing ? await this.#update(assembly) : await this.#create(assembly);
    if (action === 'unchanged') return action;
    const stack = await this.#settled(stackName, startedAt, (done) =>
      onProgress(Math.min(done, total), total),
    );
    const isDone =
      stack.StackStatus === 'CREATE_COMPLETE' || stack.StackStatus === 'UPDATE_COMPLETE';
    if (!isDone) throw await this.#failure(stack, startedAt);
    return action;
  }

  /** The deployed stack, or undefined when there is none. */
  async read(stackName: string): Promise<DeployedStack | undefined> {
    const stack = await this.#describe(stackName);
    if (!stack) return undefined;
    const resources: StackMember[] = [];
    const pages = paginateListStackResources({ client: this.#client }, { StackName: stackName });
    for await (const { StackResourceSummaries = [] } of pages) {
      resources.push(...StackResourceSummaries.flatMap(stackMember));
    }
    const outputs: Record<string, string> = {};
    for (const { OutputKey, OutputValue } of stack.Outputs ?? []) {
      if (OutputKey && OutputValue) outputs[OutputKey] = OutputValue;
    }
    return { outputs, resources };
  }

  /** Deletes the stack and waits until it is gone. */
  async remove(stackName: string): Promise<void> {
    await this.#client.send(new DeleteStackCommand({ StackName: stackName }));
    while (await this.#describe(stackName)) await sleep(pollMs);
  }

  /** Returns an updatable stack; the remains of a failed creation are deleted first. */
  async #existing(stackName: string): Promise<boolean> {
    const stack = await this.#describe(stackName);
    if (!stack) return false;
    const remains = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED', 'DELETE_FAILED'];
    if (!remains.includes(stack.StackStatus ?? '')) return true;
    await this.remove(stackName);
    return false;
  }

  async #create(assembly: Assembly): Promise<StackChange> {
    await this.#refusalAsAdvice(this.#client.send(new CreateStackCommand(this.#request(assembly))));
    return 'created';
  }

  async #update(assembly: Assembly): Promise<StackChange> {
    try {
      await this.#client.send(new UpdateStackCommand(this.#request(assembly)));
      return 'updated';
    } catch (error) {
      if (/no updates are to be performed/i.test(messageOf(error))) return 'unchanged';
      throw refused(error);
    }
  }

  #request({ stackName, templateLocation: { bucket, key } }: Assembly) {
    return {
      StackName: stackName,
      TemplateURL: new URL(`/${bucket}/${key}`, this.#endpoint).href,
      Capabilities: [...capabilities],
    };
  }

  async #refusalAsAdvice(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      throw refused(error);
    }
  }

  async #settled(
    stackName: string,
    since: Date,
    onProgress: (done: number) => void,
  ): Promise<Stack> {
    for (;;) {
      const stack = await this.#describe(stackName);
      if (!stack) throw new Error(`Stack ${stackName} vanished while it was deployed.`);
      if (!stack.StackStatus?.endsWith('_IN_PROGRESS')) return stack;
      const events = await this.#events(stackName, since);
      onProgress(events.filter((event) => event.ResourceStatus?.endsWith('_COMPLETE')).length);
      await sleep(pollMs);
    }
  }

  async #describe(stackName: string): Promise<Stack | undefined> {
    try {
      const { Stacks } = await this.#client.send(
        new DescribeStacksCommand({ StackName: stackName }),
      );
      const stack = Stacks?.[0];
      return stack?.StackStatus === 'DELETE_COMPLETE' ? undefined : stack;
    } catch (error) {
      if (/does not exist/i.test(messageOf(error))) return undefined;
      throw error;
    }
  }

  async #events(stackName: string, since: Date): Promise<StackEvent[]> {
    const { StackEvents = [] } = await this.#client.send(
      new DescribeStackEventsCommand({ StackName: stackName }),
    );
    return StackEvents.filter((event) => (event.Timestamp ?? since) >= since);
  }

  async #failure(stack: Stack, since: Date): Promise<CommandError> {
    const events = await this.#events(stack.StackName ?? '', since);
    const reasons = events
      .filter((event) => event.ResourceStatus?.endsWith('_FAILED'))
      .map(
        (event) => `${event.LogicalResourceId}: ${event.ResourceStatusReason ?? 'no reason given'}`,
      );
    const lines = reasons.length > 0 ? reasons : [stack.StackStatusReason ?? 'no reason given'];
    return new CommandError(
      `The stack ended as ${stack.StackStatus}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
      'Correct the resource in lib/ that is named; until then everything runs as before.',
    );
  }
}

function stackMember(resource: StackResourceSummary): StackMember[] {
  const { LogicalResourceId, PhysicalResourceId, ResourceType } = resource;
  if (!LogicalResourceId || !PhysicalResourceId || !ResourceType) return [];
  return [{ logicalId: LogicalResourceId, type: ResourceType, physicalId: PhysicalResourceId }];
}

function refused(error: unknown): CommandError {
  return new CommandError(
    `CloudFormation refused the template: ${messageOf(error)}`,
    'Correct lib/; a resource type that the local cloud does not know is left out in the local stage.',
    { cause: error },
  );
}
