import { isVariables, type Variables } from '../basics/json.ts';
import { isReservedName } from '../expression/known-names.ts';
import { isInstant } from '../time/iso-8601.ts';
import type { Timer } from '../time/timer.ts';
import { listOf, nullish, objectOf, oneOf, optional, recordOf, where } from './form.ts';
import {
  type Aggregation,
  type CaseInstance,
  type EndedCounts,
  type ParentLink,
  type PlanItemInstance,
  STATE_FORMAT_VERSION,
  type StoredTask,
} from './state.ts';

const text = where((value) => typeof value === 'string', 'not a text');

const id = where(
  (value): value is string => typeof value === 'string' && value !== '',
  'not an id',
);

const flag = where((value) => typeof value === 'boolean', 'neither true nor false');

const integerFrom = (least: number) =>
  where(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `not an integer from ${least}`,
  );

const integer = integerFrom(Number.MIN_SAFE_INTEGER);

const instant = where(
  (value): value is string => typeof value === 'string' && isInstant(value),
  'not an instant',
);

/** Checked in place, and not frozen: variables can be large, and they are the caller's. */
const variables = where(
  (value): value is Variables => isVariables(value) && !Object.keys(value).some(isReservedName),
  'no variables',
);

const timer = objectOf<Timer>({
  dueAt: instant,
  every: optional(text),
  remaining: optional(integerFrom(0)),
  until: optional(instant),
});

const task = objectOf<StoredTask>({
  description: nullish(text),
  assignee: nullish(text),
  owner: nullish(text),
  candidateUsers: optional(listOf(text)),
  candidateGroups: optional(listOf(text)),
  priority: optional(integer),
  dueDate: nullish(instant),
  category: nullish(text),
  formKey: nullish(text),
});

const planItem = objectOf<PlanItemInstance>({
  id,
  planItemId: id,
  name: optional(text),
  state: oneOf(
    'available',
    'unavailable',
    'wait_repetition',
    'enabled',
    'disabled',
    'active',
    'suspended',
  ),
  stageInstanceId: optional(id),
  variables: optional(variables),
  satisfiedParts: optional(listOf(text)),
  completable: optional(flag),
  createdAt: instant,
  enabledAt: optional(instant),
  startedAt: optional(instant),
  endedAt: optional(instant),
  entryCriterionId: optional(text),
  exitCriterionId: optional(text),
  suspendedFrom: optional(oneOf('available', 'enabled', 'disabled', 'active')),
  isSuspendedItself: optional(flag),
  timer: optional(timer),
  task: optional(task),
  childCaseInstanceId: optional(id),
  processInstanceId: optional(id),
  signalName: optional(text),
});

const aggregation = objectOf<Aggregation>({
  planItemId: id,
  stageInstanceId: optional(id),
  index: integerFrom(0),
  target: id,
  entries: listOf(objectOf<Aggregation['entries'][number]>({ counter: integer, value: variables })),
});

const endedCounts = objectOf<EndedCounts>({
  completed: optional(integerFrom(1)),
  terminated: optional(integerFrom(1)),
  failed: optional(integerFrom(1)),
});

const parent = objectOf<ParentLink>({
  caseInstanceId: id,
  planItemInstanceId: id,
  isWaiting: flag,
});

/** The form of one stored case. What only its model can tell is proved when the case comes to life. */
export const caseForm = objectOf<CaseInstance>({
  formatVersion: oneOf(STATE_FORMAT_VERSION),
  id,
  familyId: id,
  definitionId: id,
  definitionKey: text,
  tenantId: optional(text),
  name: optional(text),
  businessKey: optional(text),
  businessStatus: optional(text),
  state: oneOf('active', 'suspended', 'completed', 'terminated', 'failed'),
  completable: flag,
  variables,
  planItems: listOf(planItem),
  satisfiedParts: listOf(text),
  parent: optional(parent),
  depth: optional(integerFrom(0)),
  completedBefore: recordOf(listOf(id)),
  endedCounts: recordOf(endedCounts),
  aggregations: optional(listOf(aggregation)),
  startedBy: optional(text),
  startedAt: instant,
  endedAt: optional(instant),
  reactivatedAt: optional(instant),
  isSuspendedItself: optional(flag),
});
