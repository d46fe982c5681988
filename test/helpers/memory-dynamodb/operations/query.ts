import { type Attributes, type AttributeValue, sizeOfItem } from '../attribute-value.ts';
import { readUnits } from '../capacity.ts';
import { consumedCapacity, type Engine, type Outcome, type WireInput } from '../engine.ts';
import { invalid } from '../errors.ts';
import { holds } from '../expressions/holds.ts';
import {
  type KeyCondition,
  type KeyNames,
  parseKeyCondition,
  placeInRange,
} from '../expressions/key-condition.ts';
import {
  type ConditionNode,
  type Operand,
  parseCondition,
} from '../expressions/parse-condition.ts';
import type { Path } from '../expressions/path.ts';
import { parseProjection, project } from '../expressions/projection.ts';
import { Scope } from '../expressions/scope.ts';
import { INDEX_NAMES, type IndexName, keyNames } from '../storage.ts';
import { checkValue } from '../validate-item.ts';

type Parameters = Readonly<{
  IndexName?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Readonly<Record<string, string>>;
  ExpressionAttributeValues?: Attributes;
  Limit?: number;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Attributes;
  ConsistentRead?: boolean;
  Select?: string;
}>;

const PAGE_BYTES = 1_024 * 1_024;
const PROJECTED = ['pk', 'sk', 'type', 'summary'];

/** One page of a partition. */
export function query(engine: Engine, input: WireInput): Outcome {
  engine.checkTable(input.TableName);
  const given = input as Parameters;
  const { Limit, ScanIndexForward = true, ConsistentRead = false } = given;
  const index = readIndex(given.IndexName);
  const keys = keyNames(index);
  if (index && ConsistentRead) {
    throw invalid('Consistent reads are not supported on global secondary indexes');
  }
  if (Limit !== undefined && Limit < 1) {
    throw invalid(
      `1 validation error detected: Value '${Limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
    );
  }
  const { condition, filter, paths } = parse(given, keys, index);
  const startKey =
    given.ExclusiveStartKey && checkStartKey(given.ExclusiveStartKey, keys, condition);
  const storage = ConsistentRead ? engine.primary : engine.replica;
  const { partition, range } = condition;
  const place = (sortKey: AttributeValue): number => (range ? placeInRange(range, sortKey) : 0);
  const rest = storage.select({ partition, index, place, isForward: ScanIndexForward, startKey });
  const { page, bytes, isCut } = cut(rest, Limit);
  const found = page.filter((item) => !filter || holds(filter, item));
  const reads = charge(bytes, ConsistentRead, index);
  const last = isCut ? page[page.length - 1] : undefined;
  return {
    output: {
      ...(given.Select === 'COUNT'
        ? {}
        : { Items: paths ? found.map((item) => project(item, paths)) : found }),
      Count: found.length,
      ScannedCount: page.length,
      LastEvaluatedKey: last && keyOf(last, keys),
      ConsumedCapacity: consumedCapacity(input, engine.tableName, reads),
    },
    items: page.length,
    reads,
  };
}

function readIndex(name: string | undefined): IndexName | undefined {
  if (name === undefined) return undefined;
  const index = INDEX_NAMES.find((known) => known === name);
  if (!index) throw invalid(`The table does not have the specified index: ${name}`);
  return index;
}

function parse(given: Parameters, keys: KeyNames, index: IndexName | undefined) {
  for (const value of Object.values(given.ExpressionAttributeValues ?? {})) checkValue(value);
  const scope = new Scope(given);
  if (given.KeyConditionExpression === undefined) {
    throw invalid(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  }
  const filter =
    given.FilterExpression === undefined
      ? undefined
      : parseCondition(given.FilterExpression, 'FilterExpression', scope);
  const paths =
    given.ProjectionExpression === undefined
      ? undefined
      : parseProjection(given.ProjectionExpression, scope);
  const condition = parseKeyCondition(given.KeyConditionExpression, keys, scope);
  scope.checkAllUsed(true);
  const keyInFilter =
    filter && pathsOf(filter).find(([name]) => name === keys.pk || name === keys.sk);
  if (keyInFilter) {
    throw invalid(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${keyInFilter[0]}`,
    );
  }
  const missing =
    index && paths?.find(([name]) => ![...PROJECTED, keys.pk, keys.sk].includes(name));
  if (missing || (index && given.Select === 'ALL_ATTRIBUTES')) {
    throw invalid(
      `One or more parameter values were invalid: Global secondary index ${index} does not project ${missing?.[0] ?? 'all attributes'}`,
    );
  }
  return { condition, filter, paths };
}

function checkStartKey(startKey: Attributes, keys: KeyNames, condition: KeyCondition): Attributes {
  const names = new Set(['pk', 'sk', keys.pk, keys.sk]);
  const isWhole =
    Object.keys(startKey).length === names.size && [...names].every((name) => startKey[name]?.S);
  const isTooLong = Buffer.byteLength(startKey[keys.sk]?.S ?? '') > 1_024;
  if (!isWhole || isTooLong) throw invalid('The provided starting key is invalid');
  if (startKey[keys.pk]?.S !== condition.partition) {
    throw invalid(
      'The provided starting key is outside query boundaries based on provided conditions',
    );
  }
  if (condition.range && !holds(condition.range, startKey)) {
    throw invalid('The provided starting key does not match the range key predicate');
  }
  return startKey;
}

/** A page ends at the limit, without a look ahead, or before the item that would take it past 1 MB. */
function cut(items: Iterable<Attributes>, limit = Number.POSITIVE_INFINITY) {
  const page: Attributes[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOfItem(item);
    if (page.length > 0 && bytes + size > PAGE_BYTES) return { page, bytes, isCut: true };
    page.push(item);
    bytes += size;
    if (page.length >= limit) return { page, bytes, isCut: true };
  }
  return { page, bytes, isCut: false };
}

function charge(bytes: number, isConsistent: boolean, index: IndexName | undefined) {
  const units = readUnits(bytes, isConsistent);
  return index ? { table: 0, indexes: { [index]: units } } : { table: units, indexes: {} };
}

function keyOf(item: Attributes, keys: KeyNames): Attributes {
  const names = new Set(['pk', 'sk', keys.pk, keys.sk]);
  return Object.fromEntries([...names].map((name) => [name, item[name] ?? {}]));
}

function pathsOf(node: ConditionNode): Path[] {
  if ('left' in node) return [...pathsOf(node.left), ...pathsOf(node.right)];
  if (node.kind === 'not') return pathsOf(node.condition);
  return node.operands.flatMap(pathOf);
}

function pathOf(operand: Operand): Path[] {
  if (operand.kind === 'size') return pathOf(operand.of);
  return operand.kind === 'path' ? [operand.path] : [];
}
