import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListStateMachinesCommand,
  SFNClient,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { localClientConfig } from '../../../../bin/dev/local-cloud/aws-client.ts';
import type { PlatformOutputs } from '../../../../bin/dev/outputs.ts';

/** States that are run for each item of a map. */
const MAPS: Readonly<Record<string, string>> = { 'Apply a chunk': 'Apply users' };
const LOOKS = 6_000;
const PAUSE_MS = 5;

/** The executions of runs, and the processes that their steps have on the local cloud. */
export class RunExecutions {
  readonly #outputs: PlatformOutputs;
  readonly #machines: SFNClient;
  readonly #table: DynamoDBClient;
  #machineArn: string | undefined;

  constructor(outputs: PlatformOutputs) {
    this.#outputs = outputs;
    const config = localClientConfig(outputs.endpoint);
    this.#machines = new SFNClient(config);
    this.#table = new DynamoDBClient(config);
  }

  /** Waits until a run has entered a state. */
  async entered(batch: string, state: string): Promise<void> {
    await this.#until(`the run is at ${state}`, async () =>
      hasEntered(await this.#events(batch), state),
    );
  }

  /** Stops a run as soon as it has entered a state, unless it has ended since. */
  async stopAt(batch: string, state: string): Promise<void> {
    await this.entered(batch, state);
    const executionArn = await this.#arnOf(batch);
    try {
      await this.#machines.send(new StopExecutionCommand({ executionArn }));
    } catch (error) {
      const { status } = await this.#machines.send(new DescribeExecutionCommand({ executionArn }));
      if (status === 'RUNNING') throw error;
    }
  }

  /** Kills the processes of the steps as soon as a source has an account. @returns how many it had */
  async killAmongAccounts(sourceId: string): Promise<number> {
    let accounts = 0;
    await this.#until('there is an account', async () => {
      accounts = await this.#linksOf(sourceId);
      return accounts > 0;
    });
    for (const pid of stepProcesses(this.#outputs)) process.kill(pid, 'SIGKILL');
    return accounts;
  }

  /** Calls of steps that have failed. */
  async failures(batch: string): Promise<number> {
    const events = await this.#events(batch);
    return events.filter(({ type }) => /^(Task|LambdaFunction)Failed$/.test(type ?? '')).length;
  }

  async #linksOf(sourceId: string): Promise<number> {
    const { Count = 0 } = await this.#table.send(
      new QueryCommand({
        TableName: this.#outputs.tableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: `USERLINK#${sourceId}` } },
        Select: 'COUNT',
      }),
    );
    return Count;
  }

  /** None before it has begun. */
  async #events(batch: string) {
    const executionArn = await this.#arnOf(batch);
    const command = new GetExecutionHistoryCommand({ executionArn, maxResults: 500 });
    const { events = [] } = await this.#machines.send(command).catch(() => ({ events: [] }));
    return events;
  }

  async #arnOf(batch: string): Promise<string> {
    this.#machineArn ??= await this.#findMachine();
    return `${this.#machineArn.replace(':stateMachine:', ':execution:')}:${batch}`;
  }

  async #findMachine(): Promise<string> {
    const { stateMachines = [] } = await this.#machines.send(new ListStateMachinesCommand({}));
    const machine = stateMachines.find(({ name = '' }) => /identity/i.test(name));
    if (!machine?.stateMachineArn) throw new Error('There is no state machine of runs');
    return machine.stateMachineArn;
  }

  async #until(what: string, look: () => Promise<boolean>): Promise<void> {
    for (let asked = 0; asked < LOOKS; asked += 1) {
      if (await look()) return;
      await sleep(PAUSE_MS);
    }
    throw new Error(`Never: ${what}`);
  }
}

/** Of states within a map the local cloud tells the calls alone, after the map itself. */
function hasEntered(events: readonly HistoryEvent[], state: string): boolean {
  const map = MAPS[state];
  const at = events.findIndex(
    ({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name === (map ?? state),
  );
  if (at < 0 || map === undefined) return at >= 0;
  return events.slice(at).some(({ type }) => type === 'TaskScheduled');
}

/** Of this local cloud alone: another one on the machine has functions of the same names. */
function stepProcesses({ functions, endpoint }: PlatformOutputs): number[] {
  const name = functions['identity-sync'];
  const { port } = new URL(endpoint);
  const marks = [`AWS_LAMBDA_FUNCTION_NAME=${name} `, `GATEWAY_PORT=${port} `];
  const list = execFileSync('ps', ['axeww', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return list
    .split('\n')
    .filter((line) => marks.every((mark) => `${line} `.includes(` ${mark}`)))
    .map((line) => Number.parseInt(line, 10));
}
