import { type AttributeValue, bytesOf, compareValues, typeOf } from '../attribute-value.ts';
import { invalid } from '../errors.ts';
import { type Comparator, type ConditionNode, parseCondition } from './parse-condition.ts';
import type { Scope } from './scope.ts';

/** Names of the key attributes of a table or an index. */
export interface KeyNames {
  readonly pk: string;
  readonly sk: string;
}

/** A key condition: one partition, and perhaps a range of its sort keys. */
export interface KeyCondition {
  readonly partition: string;
  readonly range: ConditionNode | undefined;
}

/** Parses `pk = :pk [AND <condition on sk>]`. */
export function parseKeyCondition(expression: string, keys: KeyNames, scope: Scope): KeyCondition {
  const parts = flatten(parseCondition(expression, 'KeyConditionExpression', scope));
  const found = parts.map((part) => ({ part, ...partOf(part) }));
  const unknown = found.find(({ name }) => name !== keys.pk && name !== keys.sk);
  if (unknown) throw invalid(`Query condition missed key schema element: ${keys.pk}`);
  const partitions = found.filter(({ name }) => name === keys.pk);
  const ranges = found.filter(({ name }) => name === keys.sk);
  const [partition] = partitions;
  if (!partition) throw invalid(`Query condition missed key schema element: ${keys.pk}`);
  if (partitions.length > 1 || ranges.length > 1) {
    throw invalid(
      'Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key',
    );
  }
  const { part } = partition;
  if (part.kind !== 'compare' || part.comparator !== '=') {
    throw invalid('Query key condition not supported');
  }
  return { partition: partition.values[0]?.S ?? '', range: ranges[0]?.part };
}

/** Whether a sort key lies before (negative), in or after (positive) a range of sort keys. */
export function placeInRange(range: ConditionNode, sortKey: AttributeValue): number {
  const [low = {}, high = low] = partOf(range).values;
  const toLow = compareValues(sortKey, low) ?? 0;
  if (range.kind === 'between')
    return toLow < 0 ? -1 : Math.max(0, compareValues(sortKey, high) ?? 0);
  if (range.kind === 'compare') return PLACES[range.comparator](toLow);
  const prefix = bytesOf(low) ?? Buffer.alloc(0);
  return bytesOf(sortKey)?.subarray(0, prefix.length).equals(prefix) ? 0 : toLow;
}

/** Places by how a sort key compares with the operand. */
const PLACES: Readonly<Record<Comparator, (order: number) => number>> = {
  '=': (order) => order,
  '<>': () => 0,
  '<': (order) => (order < 0 ? 0 : 1),
  '<=': (order) => (order <= 0 ? 0 : 1),
  '>': (order) => (order > 0 ? 0 : -1),
  '>=': (order) => (order >= 0 ? 0 : -1),
};

function flatten(node: ConditionNode): ConditionNode[] {
  if (node.kind === 'and') return [...flatten(node.left), ...flatten(node.right)];
  if (node.kind === 'or' || node.kind === 'not' || node.kind === 'in') {
    const operator = node.kind.toUpperCase();
    throw invalid(`Invalid operator used in KeyConditionExpression: ${operator}`);
  }
  return [node];
}

function partOf(node: ConditionNode): { name: string; values: AttributeValue[] } {
  const isSupported =
    node.kind === 'between' ||
    (node.kind === 'compare' && node.comparator !== '<>') ||
    (node.kind === 'call' && node.name === 'begins_with');
  if (!isSupported) {
    throw invalid('Invalid operator used in KeyConditionExpression');
  }
  const [path, ...others] = node.operands;
  const values = others.flatMap((operand) => (operand.kind === 'value' ? operand.value : []));
  if (path?.kind !== 'path' || path.path.length > 1 || values.length < others.length) {
    throw invalid('Invalid condition in KeyConditionExpression');
  }
  for (const value of values) checkKeyValue(path.path[0], value);
  return { name: path.path[0], values };
}

function checkKeyValue(name: string, value: AttributeValue): void {
  if (typeOf(value) !== 'S') {
    throw invalid(
      'One or more parameter values were invalid: Condition parameter type does not match schema type',
    );
  }
  if (value.S === '') {
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  const [isPartition, most] = name.endsWith('pk') ? [true, 2_048] : [false, 1_024];
  if (Buffer.byteLength(value.S ?? '') > most) {
    throw invalid(
      `One or more parameter values were invalid: Aggregated size of all ${isPartition ? 'hash' : 'range'} keys has exceeded the size limit of ${most} bytes`,
    );
  }
}
