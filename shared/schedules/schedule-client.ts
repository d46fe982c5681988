import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { toInstant } from '../primitives/clock.ts';
import { sendLimits } from '../primitives/request-limits.ts';
import type { OneTimeSchedule, OneTimeSchedules } from './one-time-schedule.ts';

/** Where the schedules of a module are, and what they call as whom. */
export interface SchedulePlace {
  readonly group: string;
  readonly roleArn: string;
  readonly deadLetterArn: string;
  readonly targetArn: string;
}

/** What is late by more is left to whoever sweeps (s); less is not allowed. */
const MAX_AGE_S = 60;
const RETRIES = 2;

/** EventBridge Scheduler; a file of its own, so that it is loaded with the first schedule only. */
export class ScheduleClient implements OneTimeSchedules {
  readonly #place: SchedulePlace;
  readonly #client: Pick<SchedulerClient, 'send'>;

  constructor(
    place: SchedulePlace,
    client: Pick<SchedulerClient, 'send'> = new SchedulerClient(sendLimits),
  ) {
    this.#place = place;
    this.#client = client;
  }

  async create({ name, at, task, input }: OneTimeSchedule, abortSignal: AbortSignal) {
    const { group, roleArn, deadLetterArn, targetArn } = this.#place;
    const command = new CreateScheduleCommand({
      Name: name,
      GroupName: group,
      ScheduleExpression: `at(${wholeSecond(at)})`,
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: targetArn,
        RoleArn: roleArn,
        Input: JSON.stringify({ task, input }),
        DeadLetterConfig: { Arn: deadLetterArn },
        RetryPolicy: { MaximumEventAgeInSeconds: MAX_AGE_S, MaximumRetryAttempts: RETRIES },
      },
    });
    await this.#send(() => this.#client.send(command, { abortSignal }), ConflictException);
  }

  async delete(name: string, abortSignal: AbortSignal) {
    const command = new DeleteScheduleCommand({ Name: name, GroupName: this.#place.group });
    await this.#send(() => this.#client.send(command, { abortSignal }), ResourceNotFoundException);
  }

  async #send(
    send: () => Promise<unknown>,
    done: typeof ConflictException | typeof ResourceNotFoundException,
  ): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof done)) throw error;
    }
  }
}

/** Seconds are the finest that an expression says: never before the instant. */
const wholeSecond = (at: number): string => toInstant(Math.ceil(at / 1_000) * 1_000).slice(0, 19);
