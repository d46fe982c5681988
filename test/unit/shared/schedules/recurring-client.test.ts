import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { describe, expect, it } from 'vitest';
import { RecurringClient } from '../../../../shared/schedules/schedule-client.ts';

const place = { group: 'g', roleArn: 'role', deadLetterArn: 'dead', targetArn: 'machine' };
const facts = { message: '', $metadata: {}, Message: '', ResourceType: '' };
const none = new ResourceNotFoundException(facts);
const schedule = {
  name: 's-0',
  expression: 'rate(6 hours)',
  timezone: 'UTC',
  input: { sourceId: 's' },
};

function answering(...answers: readonly (Error | undefined)[]) {
  const sent: { readonly input: unknown }[] = [];
  const client = {
    send: async (command: { readonly input: unknown }) => {
      sent.push(command);
      const answer = answers[sent.length - 1];
      if (answer) throw answer;
    },
  } as unknown as SchedulerClient;
  return { sent, scheduler: new RecurringClient(place, client) };
}

describe('a recurring schedule', () => {
  it('replaces the one of its name', async () => {
    const { sent, scheduler } = answering();
    await scheduler.put({ ...schedule, from: 0, jitterMinutes: 5 });
    expect(sent).toEqual([expect.any(UpdateScheduleCommand)]);
    expect(sent[0]?.input).toMatchObject({
      ...{
        Name: 's-0',
        GroupName: 'g',
        ScheduleExpression: 'rate(6 hours)',
        StartDate: new Date(0),
      },
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 },
      Target: {
        Arn: 'machine',
        RoleArn: 'role',
        Input: '{"sourceId":"s"}',
        DeadLetterConfig: { Arn: 'dead' },
      },
    });
  });

  it('is made where there is none, also beside somebody else', async () => {
    const alone = answering(none);
    await alone.scheduler.put(schedule);
    expect(alone.sent).toEqual([
      expect.any(UpdateScheduleCommand),
      expect.any(CreateScheduleCommand),
    ]);
    const both = answering(none, new ConflictException(facts));
    await both.scheduler.put(schedule);
    expect(both.sent.at(-1)).toBeInstanceOf(UpdateScheduleCommand);
  });

  it('of one instant goes with it', async () => {
    const { sent, scheduler } = answering();
    await scheduler.put({ ...schedule, expression: 'at(2026-03-02T00:00:00)' });
    expect(sent[0]?.input).toMatchObject({
      ActionAfterCompletion: 'DELETE',
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
  });

  it('is deleted, where there is one', async () => {
    const { sent, scheduler } = answering(none);
    await scheduler.delete('s-0');
    expect(sent).toEqual([expect.any(DeleteScheduleCommand)]);
    const down = answering(new Error('down'));
    await expect(down.scheduler.delete('s-0')).rejects.toThrow('down');
  });
});
