import {
  type Attributes,
  type AttributeValue,
  elementsOf,
  isSame,
  typeOf,
} from '../attribute-value.ts';
import { addDecimals, negateDecimal } from '../decimal.ts';
import { invalid } from '../errors.ts';
import type { UpdateAction, UpdateOperand } from './parse-update.ts';
import { type Path, valueAt } from './path.ts';

/** A value that is still being built. */
interface Draft {
  L?: AttributeValue[];
  M?: Record<string, AttributeValue>;
}

const badType = () => invalid('An operand in the update expression has an incorrect data type');
const badPath = () =>
  invalid('The document path provided in the update expression is invalid for update');

/** The item that the actions make of an item; what they read is the item as it was. */
export function applyUpdate(actions: readonly UpdateAction[], item: Attributes): Attributes {
  const draft: Record<string, AttributeValue> = structuredClone(item);
  const changes = actions.map((action) => ({ action, value: newValue(action, item) }));
  const removals = changes.filter(({ value }) => value === undefined).map(({ action }) => action);
  for (const { action, value } of changes) if (value) write(draft, action.path, value);
  for (const { path } of removals.sort(byLastStepDescending)) remove(draft, path);
  return draft;
}

/** `undefined`: the attribute goes away. */
function newValue(action: UpdateAction, item: Attributes): AttributeValue | undefined {
  if (action.kind === 'remove') return undefined;
  if (action.kind === 'set') return resolve(action.operand, item);
  const present = valueAt(item, action.path);
  if (action.kind === 'add') return present ? add(present, action.value) : action.value;
  return present && withoutMembers(present, action.value);
}

function resolve(operand: UpdateOperand, item: Attributes): AttributeValue {
  switch (operand.kind) {
    case 'value':
      return operand.value;
    case 'path': {
      const value = valueAt(item, operand.path);
      if (value) return value;
      throw invalid(
        'The provided expression refers to an attribute that does not exist in the item',
      );
    }
    case 'if_not_exists':
      return valueAt(item, operand.path) ?? resolve(operand.otherwise, item);
    case 'list_append': {
      const [first, second] = operand.operands.map((one) => resolve(one, item));
      if (!first?.L || !second?.L) throw badType();
      return { L: [...first.L, ...second.L] };
    }
    default: {
      const [left, right] = operand.operands.map((one) => resolve(one, item).N);
      if (left === undefined || right === undefined) throw badType();
      return { N: addDecimals(left, operand.kind === 'plus' ? right : negateDecimal(right)) };
    }
  }
}

function add(present: AttributeValue, value: AttributeValue): AttributeValue {
  if (typeOf(present) !== typeOf(value)) throw badType();
  if (present.N !== undefined) return { N: addDecimals(present.N, value.N ?? '0') };
  const members = elementsOf(present) ?? [];
  const added = (elementsOf(value) ?? []).filter((one) => !members.some((two) => isSame(one, two)));
  return toSet(value, [...members, ...added]);
}

function withoutMembers(
  present: AttributeValue,
  value: AttributeValue,
): AttributeValue | undefined {
  if (typeOf(present) !== typeOf(value)) throw badType();
  const removed = elementsOf(value) ?? [];
  const left = (elementsOf(present) ?? []).filter(
    (one) => !removed.some((two) => isSame(one, two)),
  );
  return left.length > 0 ? toSet(value, left) : undefined;
}

function toSet(like: AttributeValue, members: readonly AttributeValue[]): AttributeValue {
  if (like.SS) return { SS: members.map(({ S = '' }) => S) };
  if (like.NS) return { NS: members.map(({ N = '' }) => N) };
  return { BS: members.map(({ B = '' }) => B) };
}

function write(item: Record<string, AttributeValue>, path: Path, value: AttributeValue): void {
  const step = path[path.length - 1];
  const parent = parentOf(item, path);
  if (typeof step === 'string' && parent?.M) parent.M[step] = value;
  else if (typeof step === 'number' && parent?.L) {
    parent.L[Math.min(step, parent.L.length)] = value;
  } else throw badPath();
}

function remove(item: Record<string, AttributeValue>, path: Path): void {
  const step = path[path.length - 1];
  const parent = parentOf(item, path);
  if (typeof step === 'string' && parent?.M) delete parent.M[step];
  else if (typeof step === 'number' && parent?.L) parent.L.splice(step, 1);
  else if (path.length > 1) throw badPath();
}

function parentOf(item: Record<string, AttributeValue>, path: Path): Draft | undefined {
  if (path.length === 1) return { M: item };
  const [first, ...rest] = path;
  return valueAt(item, [first, ...rest.slice(0, -1)]) as Draft | undefined;
}

/** Places of a list are removed from its end, so that the places before stay where they are. */
function byLastStepDescending(a: UpdateAction, b: UpdateAction): number {
  return Number(b.path[b.path.length - 1]) - Number(a.path[a.path.length - 1]) || 0;
}
