import * as z from 'zod';
import { isVariables } from '../../../functions/workflow/domain/cmmn/basics/json.ts';
import type {
  Aggregation,
  CaseInstance,
  PlanItemInstance,
  StoredTask,
} from '../../../functions/workflow/domain/cmmn/contract/state.ts';
import { STATE_FORMAT_VERSION } from '../../../functions/workflow/domain/cmmn/contract/state.ts';
import { isReservedName } from '../../../functions/workflow/domain/cmmn/expression/known-names.ts';
import { isInstant } from '../../../functions/workflow/domain/cmmn/time/iso-8601.ts';
import type { Timer } from '../../../functions/workflow/domain/cmmn/time/timer.ts';

/** One schema for each member of a stored form, so that none is forgotten. */
type Members<Form> = Record<keyof Form, z.ZodType>;

const id = z.string().min(1);

const instant = z.string().refine(isInstant, 'no instant');

const count = z.int().positive();

/** Checked in place: variables can be large, and copying them would be for nothing. */
const variables = z.custom<CaseInstance['variables']>(
  (value) => isVariables(value) && !Object.keys(value).some(isReservedName),
  'no variables',
);

const LIVE_STATES = [
  'available',
  'unavailable',
  'wait_repetition',
  'enabled',
  'disabled',
  'active',
  'suspended',
] as const;

const timer = z.strictObject({
  dueAt: instant,
  every: z.string().optional(),
  remaining: z.int().nonnegative().optional(),
  until: instant.optional(),
} satisfies Members<Timer>) satisfies z.ZodType<Timer>;

const task = z.strictObject({
  description: z.string().nullish(),
  assignee: z.string().nullish(),
  owner: z.string().nullish(),
  candidateUsers: z.array(z.string()).optional(),
  candidateGroups: z.array(z.string()).optional(),
  priority: z.int().optional(),
  dueDate: instant.nullish(),
  category: z.string().nullish(),
  formKey: z.string().nullish(),
} satisfies Members<StoredTask>) satisfies z.ZodType<StoredTask>;

const planItem = z.strictObject({
  id,
  planItemId: id,
  name: z.string().optional(),
  state: z.enum(LIVE_STATES),
  stageInstanceId: id.optional(),
  variables: variables.optional(),
  satisfiedParts: z.array(z.string()).optional(),
  completable: z.boolean().optional(),
  createdAt: instant,
  enabledAt: instant.optional(),
  startedAt: instant.optional(),
  endedAt: instant.optional(),
  entryCriterionId: z.string().optional(),
  exitCriterionId: z.string().optional(),
  suspendedFrom: z.enum(['available', 'enabled', 'disabled', 'active']).optional(),
  isSuspendedItself: z.boolean().optional(),
  timer: timer.optional(),
  task: task.optional(),
  childCaseInstanceId: id.optional(),
  processInstanceId: id.optional(),
  signalName: z.string().optional(),
} satisfies Members<PlanItemInstance>) satisfies z.ZodType<PlanItemInstance>;

const aggregation = z.strictObject({
  planItemId: id,
  stageInstanceId: id.optional(),
  index: z.int().nonnegative(),
  target: z.string().min(1),
  entries: z.array(z.strictObject({ counter: z.int(), value: variables })),
} satisfies Members<Aggregation>) satisfies z.ZodType<Aggregation>;

const endedCounts = z.strictObject({
  completed: count.optional(),
  terminated: count.optional(),
  failed: count.optional(),
});

/** The form of one stored case, stated independently: tests compare what the engine reads with it. */
export const CASE_SCHEMA = z.strictObject({
  formatVersion: z.literal(STATE_FORMAT_VERSION),
  id,
  familyId: id,
  definitionId: id,
  definitionKey: z.string(),
  tenantId: z.string().optional(),
  name: z.string().optional(),
  businessKey: z.string().optional(),
  businessStatus: z.string().optional(),
  state: z.enum(['active', 'suspended', 'completed', 'terminated', 'failed']),
  completable: z.boolean(),
  variables,
  planItems: z.array(planItem),
  satisfiedParts: z.array(z.string()),
  parent: z
    .strictObject({ caseInstanceId: id, planItemInstanceId: id, isWaiting: z.boolean() })
    .optional(),
  depth: z.int().nonnegative().optional(),
  completedBefore: z.record(z.string(), z.array(id)),
  endedCounts: z.record(id, endedCounts),
  aggregations: z.array(aggregation).optional(),
  startedBy: z.string().optional(),
  startedAt: instant,
  endedAt: instant.optional(),
  reactivatedAt: instant.optional(),
  isSuspendedItself: z.boolean().optional(),
} satisfies Members<CaseInstance>) satisfies z.ZodType<CaseInstance>;
