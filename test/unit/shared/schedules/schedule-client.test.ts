import {
  ConflictException,
  CreateScheduleCommand,
  type DeleteScheduleCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-scheduler';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../../shared/lambda/environment.ts';
import { createOneTimeSchedules } from '../../../../shared/schedules/create-schedules.ts';
import { OneTimeClient } from '../../../../shared/schedules/schedule-client.ts';

const place = {
  group: 'shop-workflow',
  roleArn: 'arn:aws:iam::111122223333:role/schedules',
  deadLetterArn: 'arn:aws:sqs:eu-west-1:111122223333:dead',
  targetArn: 'arn:aws:lambda:eu-west-1:111122223333:function:workflow',
};
const { signal } = new AbortController();

function aClient(refusal?: Error) {
  const sent: unknown[] = [];
  const client = new OneTimeClient(place, {
    send: async (command: unknown) => {
      sent.push(command);
      if (refusal) throw refusal;
    },
  } as never);
  return { client, sent };
}

describe('a one-time schedule', () => {
  it('calls the task of the function in the second after its instant, in UTC, and goes', async () => {
    const { client, sent } = aClient();
    const at = Date.parse('2026-03-01T09:30:00.001Z');

    await client.create({ name: 'c-1', at, task: 'fire', input: { id: 'c' } }, signal);

    expect(sent).toEqual([expect.any(CreateScheduleCommand)]);
    expect((sent[0] as CreateScheduleCommand).input).toMatchObject({
      Name: 'c-1',
      GroupName: 'shop-workflow',
      ScheduleExpression: 'at(2026-03-01T09:30:01)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: place.targetArn,
        RoleArn: place.roleArn,
        Input: '{"task":"fire","input":{"id":"c"}}',
        DeadLetterConfig: { Arn: place.deadLetterArn },
      },
    });
  });

  it('is deleted from its group', async () => {
    const { client, sent } = aClient();

    await client.delete('c-1', signal);

    expect((sent[0] as DeleteScheduleCommand).input).toEqual({
      Name: 'c-1',
      GroupName: 'shop-workflow',
    });
  });

  it('that is there, or has gone, is as it should be', async () => {
    const facts = { message: 'no', Message: 'no', $metadata: {} };
    const there = aClient(new ConflictException(facts)).client;
    const gone = aClient(new ResourceNotFoundException(facts)).client;

    await there.create({ name: 'c-1', at: 0, task: 'fire', input: {} }, signal);
    await gone.delete('c-1', signal);

    await expect(there.delete('c-1', signal)).rejects.toThrow('no');
    await expect(
      gone.create({ name: 'c-1', at: 0, task: 'fire', input: {} }, signal),
    ).rejects.toThrow('no');
  });
});

describe('the schedules of a function', () => {
  const { targetArn, ...schedules } = place;
  const variables = {
    SVC_MODULE: 'workflow',
    SVC_STAGE: 'prod',
    TABLE_NAME: 'table',
    BUCKET_NAME: 'bucket',
    EVENT_BUS_NAME: 'bus',
    SVC_SERVICES: JSON.stringify({ stateMachines: {}, schedules }),
  };

  it('call the function itself where nothing else is named', () => {
    const { services } = readEnvironment({
      ...variables,
      AWS_REGION: 'eu-west-1',
      AWS_LAMBDA_FUNCTION_NAME: 'workflow',
    });

    expect(services.schedules).toEqual(place);
    expect(createOneTimeSchedules({ services })).toBeDefined();
  });

  it('are absent outside of Lambda, and without a group', () => {
    const outside = readEnvironment(variables);
    const without = readEnvironment({ ...variables, SVC_SERVICES: undefined });

    expect(outside.services.schedules).toEqual(schedules);
    expect(createOneTimeSchedules(outside)).toBeUndefined();
    expect(createOneTimeSchedules(without)).toBeUndefined();
  });
});
