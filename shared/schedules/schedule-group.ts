import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { sendLimits } from '../primitives/request-limits.ts';

/** Where the schedules of a module are, and what they call as whom. */
export interface SchedulePlace {
  readonly group: string;
  readonly roleArn: string;
  readonly deadLetterArn: string;
  readonly targetArn: string;
}

/** A schedule as the group has it. */
export interface GroupSchedule {
  /** Up to 64 letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** `at(...)` goes once it has fired. */
  readonly expression: string;
  readonly timezone: string;
  /** When it begins (epoch ms). */
  readonly from?: number | undefined;
  /** Minutes by which a call may come later. */
  readonly jitterMinutes?: number | undefined;
  readonly input: unknown;
  /** For so long a call that fails is tried again (s). */
  readonly maxAgeSeconds: number;
}

const RETRIES = 2;

/** The schedules of one module (EventBridge Scheduler). */
export class ScheduleGroup {
  readonly #place: SchedulePlace;
  readonly #client: Pick<SchedulerClient, 'send'>;

  constructor(
    place: SchedulePlace,
    client: Pick<SchedulerClient, 'send'> = new SchedulerClient(sendLimits),
  ) {
    this.#place = place;
    this.#client = client;
  }

  /** @returns `false` when there is one of that name already */
  async create(schedule: GroupSchedule, abortSignal?: AbortSignal): Promise<boolean> {
    const command = new CreateScheduleCommand(this.#input(schedule));
    return isDone(() => this.#client.send(command, { abortSignal }), ConflictException);
  }

  /** @returns `false` when there is none of that name */
  async update(schedule: GroupSchedule): Promise<boolean> {
    const command = new UpdateScheduleCommand(this.#input(schedule));
    return isDone(() => this.#client.send(command), ResourceNotFoundException);
  }

  /** Does nothing when there is none of that name. */
  async delete(name: string, abortSignal?: AbortSignal): Promise<void> {
    const command = new DeleteScheduleCommand({ Name: name, GroupName: this.#place.group });
    await isDone(() => this.#client.send(command, { abortSignal }), ResourceNotFoundException);
  }

  #input({ name, expression, timezone, from, ...more }: GroupSchedule): CreateScheduleCommandInput {
    const { group, roleArn, deadLetterArn, targetArn } = this.#place;
    const { jitterMinutes, input, maxAgeSeconds } = more;
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
        RetryPolicy: { MaximumEventAgeInSeconds: maxAgeSeconds, MaximumRetryAttempts: RETRIES },
      },
    };
  }
}

/** @returns `false` when it was refused in the expected way */
async function isDone(
  send: () => Promise<unknown>,
  refusal: typeof ConflictException | typeof ResourceNotFoundException,
): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof refusal) return false;
    throw error;
  }
}
