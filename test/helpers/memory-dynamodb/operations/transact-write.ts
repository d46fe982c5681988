import type { Attributes } from '../attribute-value.ts';
import { sizeOfItem } from '../attribute-value.ts';
import { addUnits, readUnits, type Units, writeUnits } from '../capacity.ts';
import {
  ChargedError,
  consumedCapacity,
  type Engine,
  type Outcome,
  type WireInput,
} from '../engine.ts';
import { type CancellationReason, invalid, ServiceError, transactionCancelled } from '../errors.ts';
import { holds } from '../expressions/holds.ts';
import { planWrite, type WritePlan } from './single-item.ts';

type Action = Readonly<Partial<Record<Kind, WireInput>>>;
type Kind = (typeof KINDS)[number];

const KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const;
const MAX_ACTIONS = 100;
const MAX_BYTES = 4 * 1_024 * 1_024;
const TOKEN_LIFE_MS = 10 * 60_000;
const NONE: CancellationReason = { Code: 'None' };

/** Up to 100 writes and checks: all of them happen, or none does. */
export function transactWriteItems(engine: Engine, input: WireInput): Outcome {
  const plans = readPlans(engine, input);
  const { ClientRequestToken: token } = input as { ClientRequestToken?: string };
  const request = JSON.stringify({ ...input, ClientRequestToken: undefined });
  const seen = token === undefined ? undefined : engine.transactionTokens.get(token);
  if (seen && engine.now() - seen.at < TOKEN_LIFE_MS) {
    if (seen.request === request) return replay(engine, input, plans);
    throw new ServiceError(
      'IdempotentParameterMismatchException',
      'Request token already in use for another request with a different payload',
    );
  }
  const changes = plans.map((plan) => attempt(plan, engine.primary.get(plan.key)));
  const writes = charge(changes);
  const reasons = changes.map(({ reason }) => reason);
  if (reasons.some(({ Code }) => Code !== 'None')) {
    throw new ChargedError(transactionCancelled(reasons), plans.length, writes);
  }
  const bytes = changes.reduce((sum, { after }) => sum + (after ? sizeOfItem(after) : 0), 0);
  if (bytes > MAX_BYTES) {
    throw invalid('Transaction request cannot be larger than 4 MB');
  }
  for (const { plan, after, isWrite } of changes) if (isWrite) engine.write(plan.key, after);
  if (token !== undefined) engine.transactionTokens.set(token, { request, at: engine.now() });
  const capacity = consumedCapacity(input, engine.tableName, writes);
  return {
    output: { ConsumedCapacity: capacity && [capacity] },
    items: plans.length,
    writes,
  };
}

type Plan = WritePlan & { readonly kind: Kind };

function readPlans(engine: Engine, { TransactItems }: WireInput): readonly Plan[] {
  const actions = (TransactItems ?? []) as readonly Action[];
  if (actions.length === 0 || actions.length > MAX_ACTIONS) {
    throw invalid(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length ${actions.length === 0 ? 'greater than or equal to 1' : 'less than or equal to 100'}`,
    );
  }
  const plans = actions.map((action) => {
    const [kind, ...others] = KINDS.filter((name) => action[name]);
    const input = kind && action[kind];
    if (!input || others.length > 0) {
      throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
    }
    engine.checkTable(input.TableName);
    if (kind === 'ConditionCheck' && input.ConditionExpression === undefined) {
      throw invalid(
        "The value 'null' at 'conditionExpression' failed to satisfy constraint: Member must not be null",
      );
    }
    return { ...planWrite(kind, input), kind };
  });
  const distinct = new Set(plans.map(({ key }) => JSON.stringify([key.pk?.S, key.sk?.S])));
  if (distinct.size < plans.length) {
    throw invalid('Transaction request cannot include multiple operations on one item');
  }
  return plans;
}

interface Change {
  readonly plan: Plan;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
  readonly isWrite: boolean;
  readonly reason: CancellationReason;
}

function attempt(plan: Plan, before: Attributes | undefined): Change {
  const isWrite = plan.kind !== 'ConditionCheck';
  const unchanged = { plan, before, after: before, isWrite };
  if (plan.condition && !holds(plan.condition, before)) {
    const shown = plan.returnsItemOnFailure && before ? { Item: before } : {};
    const Message = 'The conditional request failed';
    return { ...unchanged, reason: { Code: 'ConditionalCheckFailed', Message, ...shown } };
  }
  try {
    return { ...unchanged, after: plan.next(before), reason: NONE };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...unchanged, reason: { Code: 'ValidationError', Message: error.message } };
  }
}

function charge(changes: readonly Change[]): Units {
  return addUnits(
    changes.map(({ before, after }) => writeUnits(before, after, { isTransaction: true })),
  );
}

/** The same transaction once more writes nothing; it costs a read of its items. */
function replay(engine: Engine, input: WireInput, plans: readonly Plan[]): Outcome {
  const reads = addUnits(
    plans.map(({ key }) => {
      const item = engine.primary.get(key);
      return { table: 2 * readUnits(item ? sizeOfItem(item) : 0, true), indexes: {} };
    }),
  );
  const capacity = consumedCapacity(input, engine.tableName, reads);
  return { output: { ConsumedCapacity: capacity && [capacity] }, items: plans.length, reads };
}
