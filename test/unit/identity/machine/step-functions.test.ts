import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { StepFunctions } from '../../../../functions/identity/sync/machine/step-functions.ts';

const MACHINE = 'arn:aws:states:eu-central-1:000000000000:stateMachine:sync';
const fact = { message: '', $metadata: {} };

function answering(answer: (command: unknown) => unknown) {
  const commands: unknown[] = [];
  const client = {
    send: async (command: unknown) => {
      commands.push(command);
      return answer(command);
    },
  } as unknown as SFNClient;
  return { commands, executions: new StepFunctions(MACHINE, client) };
}

describe('executions', () => {
  it('start under a name of their own, once', async () => {
    const { commands, executions } = answering(() => {
      throw new ExecutionAlreadyExists(fact);
    });
    await executions.start('batch-1', { sourceId: 's' });
    const [command] = commands as StartExecutionCommand[];
    expect(command).toBeInstanceOf(StartExecutionCommand);
    expect(command?.input).toEqual({
      ...{ stateMachineArn: MACHINE, name: 'batch-1', input: '{"sourceId":"s"}' },
    });
  });

  it.each([
    ['RUNNING', true],
    ['PENDING_REDRIVE', true],
    ['FAILED', false],
    ['ABORTED', false],
    ['SUCCEEDED', false],
  ])('that are %s are under way: %s', async (status, expected) => {
    const { commands, executions } = answering(() => ({ status }));
    expect(await executions.isRunning('arn:x')).toBe(expected);
    expect(commands[0]).toBeInstanceOf(DescribeExecutionCommand);
  });

  it('that do not exist are not under way; other failures are told', async () => {
    const none = answering(() => {
      throw new ExecutionDoesNotExist(fact);
    });
    expect(await none.executions.isRunning('arn:x')).toBe(false);
    const down = answering(() => {
      throw new Error('no connection');
    });
    await expect(down.executions.isRunning('arn:x')).rejects.toThrow('no connection');
    await expect(down.executions.start('a', {})).rejects.toThrow('no connection');
  });
});
