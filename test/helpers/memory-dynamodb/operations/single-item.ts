import type { Attributes } from '../attribute-value.ts';
import { sizeOfItem } from '../attribute-value.ts';
import { readUnits, writeUnits } from '../capacity.ts';
import {
  ChargedError,
  consumedCapacity,
  type Engine,
  type Outcome,
  type WireInput,
} from '../engine.ts';
import { conditionFailed, invalid } from '../errors.ts';
import { applyUpdate } from '../expressions/apply-update.ts';
import { holds } from '../expressions/holds.ts';
import { type ConditionNode, parseCondition } from '../expressions/parse-condition.ts';
import { parseUpdate, type UpdateAction } from '../expressions/parse-update.ts';
import { parseProjection, project } from '../expressions/projection.ts';
import { Scope } from '../expressions/scope.ts';
import { checkItem, checkKey, checkStored, checkValue } from '../validate-item.ts';

/** A write that is understood but not done yet. */
export interface WritePlan {
  readonly key: Attributes;
  readonly condition: ConditionNode | undefined;
  /** What becomes of the item; `undefined`: it goes. */
  readonly next: (before: Attributes | undefined) => Attributes | undefined;
  readonly actions: readonly UpdateAction[];
  /** Whether a failed condition is answered with the item. */
  readonly returnsItemOnFailure: boolean;
}

type Parameters = Readonly<{
  Key?: Attributes;
  Item?: Attributes;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Readonly<Record<string, string>>;
  ExpressionAttributeValues?: Attributes;
  ReturnValues?: string;
  ReturnValuesOnConditionCheckFailure?: string;
  ConsistentRead?: boolean;
}>;

export function getItem(engine: Engine, input: WireInput): Outcome {
  engine.checkTable(input.TableName);
  const { Key, ProjectionExpression, ConsistentRead = false, ...rest } = input as Parameters;
  const scope = new Scope(rest);
  const paths =
    ProjectionExpression === undefined ? undefined : parseProjection(ProjectionExpression, scope);
  scope.checkAllUsed(paths !== undefined);
  const item = (ConsistentRead ? engine.primary : engine.replica).get(checkKey(Key));
  const reads = { table: readUnits(item ? sizeOfItem(item) : 0, ConsistentRead), indexes: {} };
  return {
    output: {
      Item: item && paths ? project(item, paths) : item,
      ConsumedCapacity: consumedCapacity(input, engine.tableName, reads),
    },
    items: 1,
    reads,
  };
}

/** PutItem, UpdateItem and DeleteItem. */
export function writeItem(
  engine: Engine,
  kind: 'Put' | 'Update' | 'Delete',
  input: WireInput,
): Outcome {
  engine.checkTable(input.TableName);
  const { ReturnValues = 'NONE' } = input as Parameters;
  const allowed =
    kind === 'Update'
      ? ['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']
      : ['NONE', 'ALL_OLD'];
  if (!allowed.includes(ReturnValues)) throw invalid('ReturnValues can only be ALL_OLD or NONE');
  const plan = planWrite(kind, input);
  const before = engine.primary.get(plan.key);
  if (plan.condition && !holds(plan.condition, before)) {
    const error = conditionFailed(plan.returnsItemOnFailure ? before : undefined);
    throw new ChargedError(error, 1, { table: writeUnits(before, before).table, indexes: {} });
  }
  const after = plan.next(before);
  engine.write(plan.key, after);
  const writes = writeUnits(before, after);
  return {
    output: {
      Attributes: returned(ReturnValues, before, after, plan.actions),
      ConsumedCapacity: consumedCapacity(input, engine.tableName, writes),
    },
    items: 1,
    writes,
  };
}

/** Reads and checks one write of a request, alone or in a transaction. */
export function planWrite(
  kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck',
  input: WireInput,
): WritePlan {
  const { Key, Item = {}, ConditionExpression, UpdateExpression, ...rest } = input as Parameters;
  for (const value of Object.values(rest.ExpressionAttributeValues ?? {})) checkValue(value);
  const scope = new Scope(rest);
  const actions = UpdateExpression === undefined ? [] : parseUpdate(UpdateExpression, scope);
  const condition =
    ConditionExpression === undefined
      ? undefined
      : parseCondition(ConditionExpression, 'ConditionExpression', scope);
  scope.checkAllUsed(condition !== undefined || UpdateExpression !== undefined);
  const shared = {
    condition,
    actions,
    returnsItemOnFailure: rest.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
  };
  if (kind === 'Put') {
    checkItem(Item);
    const { pk = {}, sk = {} } = Item;
    return { ...shared, key: { pk, sk }, next: () => Item };
  }
  const key = checkKey(Key);
  for (const { path } of actions) {
    if (path[0] !== 'pk' && path[0] !== 'sk') continue;
    throw invalid(
      `One or more parameter values were invalid: Cannot update attribute ${path[0]}. This attribute is part of the key`,
    );
  }
  if (kind === 'Delete') return { ...shared, key, next: () => undefined };
  if (kind === 'ConditionCheck') return { ...shared, key, next: (before) => before };
  return { ...shared, key, next: (before) => updated(key, before, actions) };
}

function updated(
  key: Attributes,
  before: Attributes | undefined,
  actions: readonly UpdateAction[],
): Attributes {
  const after = applyUpdate(actions, before ?? key);
  checkStored(after, { isUpdate: true });
  return after;
}

function returned(
  wanted: string,
  before: Attributes | undefined,
  after: Attributes | undefined,
  actions: readonly UpdateAction[],
): Attributes | undefined {
  if (wanted === 'ALL_OLD') return before;
  if (wanted === 'ALL_NEW') return after;
  if (wanted === 'NONE') return undefined;
  const item = wanted === 'UPDATED_OLD' ? before : after;
  const parts =
    item &&
    project(
      item,
      actions.map(({ path }) => path),
    );
  return parts && Object.keys(parts).length > 0 ? parts : undefined;
}
