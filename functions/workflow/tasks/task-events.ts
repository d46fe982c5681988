import type { TaskOperation } from '../../../shared/ports/workflow.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import type { EventSender } from '../definitions/event-sender.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { TaskChangeEvent } from '../domain/events/payloads.ts';
import { TASK_TOPICS } from '../domain/events/topics.ts';

/** Topics of the operations on tasks. */
const TOPICS: Readonly<Partial<Record<TaskOperation, string>>> = {
  claim: TASK_TOPICS.claimed,
  unclaim: TASK_TOPICS.unclaimed,
  assign: TASK_TOPICS.assigned,
  delegate: TASK_TOPICS.delegated,
  resolve: TASK_TOPICS.resolved,
  update: TASK_TOPICS.updated,
  saveDraft: TASK_TOPICS.draftSaved,
};

/** Publishes what users do with tasks; each call belongs to the unit of work around it. */
export class TaskEvents {
  readonly #sender: EventSender;
  readonly #clock: Clock;

  constructor({ sender, clock }: { sender: EventSender; clock: Clock }) {
    this.#sender = sender;
    this.#clock = clock;
  }

  /** @param before the task as it was, when the operation has changed it */
  async publish(
    operation: TaskOperation,
    task: TaskRecord,
    actor: string,
    before: TaskRecord = task,
  ): Promise<void> {
    const topic = TOPICS[operation];
    if (topic === undefined) return;
    const { tenantCode, workflowCode, definitionVersion, caseInstanceId, businessKey } = task;
    const { entityType, entityId, taskId, taskDefinitionKey, name, stageInstanceId } = task;
    const { status, assignee, owner, delegationState, priority, dueDate, version } = task;
    const payload: TaskChangeEvent = {
      ...{ tenantCode, workflowCode, definitionVersion, caseInstanceId, businessKey },
      ...{ entityType, entityId, actor },
      ...{ taskId, engineTaskId: taskId, planItemInstanceId: taskId, taskDefinitionKey, name },
      ...{ stageInstanceId, status, assignee, owner, delegationState, priority, dueDate },
      previousAssignee: before.assignee,
      taskVersion: version,
      at: toInstant(this.#clock.now()),
    };
    await this.#sender.send(topic, caseInstanceId, payload);
  }
}
