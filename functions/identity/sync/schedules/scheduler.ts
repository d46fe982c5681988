import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { sendLimits } from '../../../../shared/primitives/request-limits.ts';
import type { SchedulePlace } from '../../../../shared/schedules/schedule-client.ts';
import type { RecurringSchedule, ScheduleStore } from './schedule-store.ts';

const RETRIES = { MaximumEventAgeInSeconds: 600, MaximumRetryAttempts: 2 };

/** EventBridge Scheduler; a file of its own, so that it is loaded with the first schedule only. */
export class Scheduler implements ScheduleStore {
  readonly #place: SchedulePlace;
  readonly #client: Pick<SchedulerClient, 'send'>;

  constructor(
    place: SchedulePlace,
    client: Pick<SchedulerClient, 'send'> = new SchedulerClient(sendLimits),
  ) {
    this.#place = place;
    this.#client = client;
  }

  async put(schedule: RecurringSchedule): Promise<void> {
    const input = this.#input(schedule);
    try {
      await this.#client.send(new UpdateScheduleCommand(input));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      await this.#create(input);
    }
  }

  async delete(name: string): Promise<void> {
    const command = new DeleteScheduleCommand({ Name: name, GroupName: this.#place.group });
    try {
      await this.#client.send(command);
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  }

  /** Somebody else may have made it meanwhile. */
  async #create(input: CreateScheduleCommandInput): Promise<void> {
    try {
      await this.#client.send(new CreateScheduleCommand(input));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      await this.#client.send(new UpdateScheduleCommand(input));
    }
  }

  #input({
    name,
    expression,
    timezone,
    from,
    jitterMinutes,
    input,
  }: RecurringSchedule): CreateScheduleCommandInput {
    const { group, roleArn, deadLetterArn, targetArn } = this.#place;
    return {
      Name: name,
      GroupName: group,
      ScheduleExpression: expression,
      ScheduleExpressionTimezone: timezone,
      ...(from !== undefined && { StartDate: new Date(from) }),
      FlexibleTimeWindow: jitterMinutes
        ? { Mode: 'FLEXIBLE', MaximumWindowInMinutes: jitterMinutes }
        : { Mode: 'OFF' },
      ...(expression.startsWith('at(') && { ActionAfterCompletion: 'DELETE' }),
      Target: {
        Arn: targetArn,
        RoleArn: roleArn,
        Input: JSON.stringify(input),
        DeadLetterConfig: { Arn: deadLetterArn },
        RetryPolicy: RETRIES,
      },
    };
  }
}
