import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDocumentClient } from '../../../shared/store/document-client.ts';
import { totalUnits, type Units } from './capacity.ts';
import { ChargedError, Engine, type Outcome, type WireInput } from './engine.ts';
import { ServiceError } from './errors.ts';
import {
  errorOf,
  type Fault,
  type FaultOptions,
  Faults,
  type RandomFaultOptions,
} from './faults.ts';
import { fromPlain } from './from-plain.ts';
import { HeldItems } from './held-items.ts';
import { Meter } from './meter.ts';
import { batchGetItem, batchWriteItem } from './operations/batch.ts';
import { query } from './operations/query.ts';
import { getItem, writeItem } from './operations/single-item.ts';
import { transactWriteItems } from './operations/transact-write.ts';
import { toPlain } from './to-plain.ts';

/** Called before a request is worked on; a throw reaches the caller as an error of the network. */
export type RequestHook = (request: {
  readonly operation: string;
  readonly input: WireInput;
}) => void | Promise<void>;

/** How the double is made. */
export interface MemoryDynamoDbOptions {
  readonly tableName?: string;
  /** Milliseconds since 1970, for what ends with time. */
  readonly now?: () => number;
  /** Tries of the AWS client for one request; 1 shows every fault to the code under test. */
  readonly maxAttempts?: number;
}

/** The platform's one table in memory, behind a real AWS client. */
export interface MemoryDynamoDb {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  /** Answers a request of another process as the service does. */
  respond(operation: string, body: string): Promise<WireAnswer>;
  /** Counts and charges every request. */
  readonly meter: Meter;
  /** Makes the next request fail; several calls queue up. */
  failNext(fault: Fault, options?: FaultOptions): void;
  /** From now on a share of all requests fails, until `stopFailing`. */
  failAtRandom(options: RandomFaultOptions): void;
  /** Forgets the failures that did not happen yet. */
  stopFailing(): void;
  /** Runs before each request of an operation. @returns how to take it off again. */
  before(operation: string, hook: RequestHook): () => void;
  /** From now on a transaction takes this long (ms), and whoever writes its items meanwhile meets a conflict. */
  holdTransactions(ms: number): void;
  /** From now on indexes and eventually consistent reads see nothing new, until `catchUp`. */
  lag(): void;
  /** From now on they see a write only after so many further ones, until `catchUp`. */
  lagBehind(writes: number): void;
  catchUp(): void;
  /** Puts many items that are not there yet, without requests. */
  load(items: Iterable<Readonly<Record<string, unknown>>>): void;
  /** Every item as code sees it, for assertions on what is stored. */
  items(): readonly Readonly<Record<string, unknown>>[];
}

/** An answer as it travels. */
export interface WireAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const NOT_CHARGED = { items: 0, writes: undefined };
const unitsOf = (units: Units | undefined): number => (units ? totalUnits(units) : 0);

type Operation = (engine: Engine, input: WireInput) => Outcome;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  GetItem: getItem,
  PutItem: (engine, input) => writeItem(engine, 'Put', input),
  UpdateItem: (engine, input) => writeItem(engine, 'Update', input),
  DeleteItem: (engine, input) => writeItem(engine, 'Delete', input),
  Query: query,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  TransactWriteItems: transactWriteItems,
};

/** Makes an empty table with the keys and indexes of the platform. */
export function memoryDynamoDb(options: MemoryDynamoDbOptions = {}): MemoryDynamoDb {
  const { tableName = 'svc-cloud', now = Date.now, maxAttempts = 1 } = options;
  const engine = new Engine(tableName, now);
  const meter = new Meter();
  const faults = new Faults();
  const held = new HeldItems();
  const hooks = new Set<{ readonly operation: string; readonly hook: RequestHook }>();

  const answer = async (operation: string, input: WireInput): Promise<object> => {
    for (const one of [...hooks])
      if (one.operation === operation) await one.hook({ operation, input });
    const fault = faults.next(operation);
    const actions = Array.isArray(input.TransactItems) ? input.TransactItems.length : 1;
    const refusal =
      fault && fault !== 'answer-lost'
        ? errorOf(fault, operation, actions)
        : held.refusal(operation, input);
    if (refusal) {
      meter.record({ operation, items: actions, readUnits: 0, writeUnits: 0 }, input);
      throw refusal;
    }
    const output = await held.run(operation, input, () => work(operation, input));
    if (fault) throw errorOf(fault, operation, actions);
    return output;
  };

  const work = (operation: string, input: WireInput): object => {
    const run = OPERATIONS[operation];
    if (!run) throw new Error(`The memory table has no ${operation}`);
    try {
      const { output, items, reads, writes } = run(engine, input);
      const [readUnits, writeUnits] = [unitsOf(reads), unitsOf(writes)];
      meter.record({ operation, items, readUnits, writeUnits }, input);
      return output;
    } catch (error) {
      const { items, writes } = error instanceof ChargedError ? error : NOT_CHARGED;
      meter.record({ operation, items, readUnits: 0, writeUnits: unitsOf(writes) }, input);
      throw error instanceof ChargedError ? error.error : error;
    }
  };

  return {
    client: documentClient(answer, maxAttempts),
    tableName,
    respond: (operation, body) => respond(answer, operation, JSON.parse(body) as WireInput),
    meter,
    failNext: (fault, more) => faults.add(fault, more),
    failAtRandom: (options) => faults.addByChance(options),
    stopFailing: () => faults.clear(),
    before: (operation, hook) => {
      const entry = { operation, hook };
      hooks.add(entry);
      return () => void hooks.delete(entry);
    },
    holdTransactions: (ms) => held.holdFor(ms),
    lag: () => engine.lagBehind(Number.POSITIVE_INFINITY),
    lagBehind: (writes) => engine.lagBehind(writes),
    catchUp: () => engine.catchUp(),
    load: (items) => engine.primary.load(Iterator.from(items).map(fromPlain)),
    items: () =>
      Array.from(engine.primary.all(), (item) => toPlain({ M: item }) as Record<string, unknown>),
  };
}

type Answer = (operation: string, input: WireInput) => Promise<object>;

/** A real client whose requests go no further than this process. */
function documentClient(answer: Answer, maxAttempts: number): DynamoDBDocumentClient {
  const requestHandler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: { headers: Record<string, string>; body: Uint8Array }) {
      const operation = request.headers['x-amz-target']?.split('.')[1] ?? '';
      const input = JSON.parse(new TextDecoder().decode(request.body)) as WireInput;
      return { response: await respond(answer, operation, input) };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: 'http://memory.invalid',
    credentials: { accessKeyId: 'memory', secretAccessKey: 'memory' },
    signer: {
      sign: async (request: unknown) => request,
    } as unknown as DynamoDBClientConfig['signer'],
    maxAttempts,
    requestHandler: requestHandler as unknown as DynamoDBClientConfig['requestHandler'],
  } as DynamoDBClientConfig);
  const unused = maxAttempts > 1 ? ADDED : [...ADDED, ...SENT_SAFELY];
  for (const name of unused) client.middlewareStack.remove(name);
  return createDocumentClient(client);
}

/** What the AWS client adds to a request and nobody here reads: together half of its time. */
const ADDED = [
  'getUserAgentMiddleware',
  'contentLengthMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
];
/** Signing comes after what repeats a request, and goes with it. */
const SENT_SAFELY = ['httpAuthSchemeMiddleware', 'httpSigningMiddleware', 'retryMiddleware'];

async function respond(answer: Answer, operation: string, input: WireInput): Promise<WireAnswer> {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  try {
    return { statusCode: 200, headers, body: encode(await answer(operation, input)) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, status, message, members } = error;
    const document = { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message, ...members };
    return { statusCode: status, headers, body: encode(document) };
  }
}

const encode = (document: object): Uint8Array => Buffer.from(JSON.stringify(document));
