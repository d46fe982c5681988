import { type Attributes, sizeOfItem } from '../attribute-value.ts';
import { addUnits, readUnits, writeUnits } from '../capacity.ts';
import { consumedCapacity, type Engine, type Outcome, type WireInput } from '../engine.ts';
import { invalid } from '../errors.ts';
import { parseProjection, project } from '../expressions/projection.ts';
import { Scope } from '../expressions/scope.ts';
import { checkItem, checkKey } from '../validate-item.ts';

type KeysAndAttributes = Readonly<{
  Keys?: readonly Attributes[];
  ConsistentRead?: boolean;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Readonly<Record<string, string>>;
}>;
type WriteRequest = Readonly<{
  PutRequest?: { readonly Item: Attributes };
  DeleteRequest?: { readonly Key: Attributes };
}>;

const MAX_KEYS = 100;
const MAX_WRITES = 25;
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

/** Up to 100 items; those that do not fit 16 MB come back as unprocessed keys. */
export function batchGetItem(engine: Engine, input: WireInput): Outcome {
  const request = only<KeysAndAttributes>(engine, input);
  const keys = checkKeys(request.Keys ?? []);
  const { ConsistentRead = false, ProjectionExpression, ...rest } = request;
  const scope = new Scope(rest);
  const paths =
    ProjectionExpression === undefined ? undefined : parseProjection(ProjectionExpression, scope);
  scope.checkAllUsed(paths !== undefined);

  const storage = ConsistentRead ? engine.primary : engine.replica;
  const read = takeWhileFits(keys.map((key) => storage.get(key)));
  const reads = addUnits(
    read.map((item) => ({ table: readUnits(sizeOf(item), ConsistentRead), indexes: {} })),
  );
  const found = read.filter((item) => item !== undefined);
  const unread = keys.slice(read.length);
  const capacity = consumedCapacity(input, engine.tableName, reads);
  return {
    output: {
      Responses: {
        [engine.tableName]: paths ? found.map((item) => project(item, paths)) : found,
      },
      UnprocessedKeys:
        unread.length > 0 ? { [engine.tableName]: { ...request, Keys: unread } } : {},
      ConsumedCapacity: capacity && [capacity],
    },
    items: keys.length,
    reads,
  };
}

function checkKeys(given: readonly Attributes[]): readonly Attributes[] {
  const keys = given.map(checkKey);
  if (keys.length === 0) {
    throw invalid(
      "1 validation error detected: Value '[]' at 'requestItems.member.keys' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  }
  if (keys.length > MAX_KEYS) throw invalid('Too many items requested for the BatchGetItem call');
  checkDistinct(keys);
  return keys;
}

function takeWhileFits(items: readonly (Attributes | undefined)[]) {
  let bytes = 0;
  const tooMuch = items.findIndex((item) => {
    bytes += sizeOf(item);
    return bytes > MAX_ANSWER_BYTES;
  });
  return tooMuch === -1 ? items : items.slice(0, tooMuch);
}

const sizeOf = (item: Attributes | undefined): number => (item ? sizeOfItem(item) : 0);

/** Up to 25 puts and deletes, each on its own. */
export function batchWriteItem(engine: Engine, input: WireInput): Outcome {
  const requests = only<readonly WriteRequest[]>(engine, input);
  if (requests.length === 0 || requests.length > MAX_WRITES) {
    throw invalid(
      requests.length === 0
        ? 'The batch write request list for a table cannot be null or empty.'
        : 'Too many items requested for the BatchWriteItem call',
    );
  }
  const writes = requests.map(({ PutRequest, DeleteRequest }) => {
    if (!PutRequest) return { key: checkKey(DeleteRequest?.Key), item: undefined };
    checkItem(PutRequest.Item);
    const { pk = {}, sk = {} } = PutRequest.Item;
    return { key: { pk, sk }, item: PutRequest.Item };
  });
  checkDistinct(writes.map(({ key }) => key));
  const units = addUnits(
    writes.map(({ key, item }) => {
      const before = engine.primary.get(key);
      engine.write(key, item);
      return writeUnits(before, item);
    }),
  );
  const capacity = consumedCapacity(input, engine.tableName, units);
  return {
    output: { UnprocessedItems: {}, ConsumedCapacity: capacity && [capacity] },
    items: writes.length,
    writes: units,
  };
}

function only<T>(engine: Engine, { RequestItems }: WireInput): T {
  const entries = Object.entries((RequestItems ?? {}) as Readonly<Record<string, T>>);
  const [entry] = entries;
  if (!entry) {
    throw invalid(
      "1 validation error detected: Value '{}' at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  }
  for (const [name] of entries) engine.checkTable(name);
  return entry[1];
}

function checkDistinct(keys: readonly Attributes[]): void {
  const distinct = new Set(keys.map(({ pk, sk }) => JSON.stringify([pk?.S, sk?.S])));
  if (distinct.size < keys.length) throw invalid('Provided list of item keys contains duplicates');
}
