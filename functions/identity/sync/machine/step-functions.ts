import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { sendLimits } from '../../../../shared/primitives/request-limits.ts';
import type { Executions } from './executions.ts';

/** AWS Step Functions; a file of its own, so that it is loaded with the first execution only. */
export class StepFunctions implements Executions {
  readonly #machineArn: string;
  readonly #client: Pick<SFNClient, 'send'>;

  constructor(machineArn: string, client: Pick<SFNClient, 'send'> = new SFNClient(sendLimits)) {
    this.#machineArn = machineArn;
    this.#client = client;
  }

  async start(name: string, input: unknown): Promise<void> {
    const command = new StartExecutionCommand({
      stateMachineArn: this.#machineArn,
      name,
      input: JSON.stringify(input),
    });
    try {
      await this.#client.send(command);
    } catch (error) {
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
  }

  async isRunning(execution: string): Promise<boolean> {
    const status = await this.#status(execution);
    return status === 'RUNNING' || status === 'PENDING_REDRIVE';
  }

  async exists(execution: string): Promise<boolean> {
    return (await this.#status(execution)) !== undefined;
  }

  async #status(execution: string): Promise<string | undefined> {
    const executionArn = execution.startsWith('arn:')
      ? execution
      : `${this.#machineArn.replace(':stateMachine:', ':execution:')}:${execution}`;
    try {
      return (await this.#client.send(new DescribeExecutionCommand({ executionArn }))).status;
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return undefined;
      throw error;
    }
  }
}
