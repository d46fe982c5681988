import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';
import { ann, aWorkflowCostWorld, TASKS } from './world.ts';

/** A request to an AWS service. */
export interface RecordedRequest {
  readonly operation: string;
  readonly input: unknown;
}

/** The requests of a start and of a completion, with `@TABLE@`, and `@CASE@` where each call has ids of its own. */
export interface RecordedCase {
  readonly start: readonly RecordedRequest[];
  readonly complete: readonly RecordedRequest[];
}

const OPERATIONS = [
  ...['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['BatchWriteItem', 'TransactWriteItems'],
];
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;

/** Starts a case of one task and completes it, in an environment that has done so before. */
export async function recordedCase(): Promise<RecordedCase> {
  const world = await aWorkflowCostWorld();
  const complete = (id: string) => world.post(`${TASKS}/${id}/complete`, {}, ann);
  await complete((await world.start()).taskId);
  const { db, bus } = world.context;
  const old = new Set(JSON.stringify(db.items()).match(UUID));
  let taskId = '';
  const record = async (work: () => Promise<unknown>): Promise<RecordedRequest[]> => {
    const sent = bus.events.length;
    const requests = await requestsOf(db, work);
    const Entries = bus.events.slice(sent).map(({ source, type, envelope }) => ({
      ...{ Source: source, DetailType: type, Detail: JSON.stringify(envelope) },
    }));
    const at = requests.findLastIndex(({ operation }) => operation === 'TransactWriteItems') + 1;
    return requests.toSpliced(at, 0, { operation: 'PutEvents', input: { Entries } });
  };
  const recorded = {
    start: await record(async () => {
      taskId = (await world.start()).taskId;
    }),
    complete: await record(() => complete(taskId)),
  };
  const text = JSON.stringify(recorded)
    .replaceAll(`"${db.tableName}"`, '"@TABLE@"')
    .replaceAll(UUID, (id) => (old.has(id) ? id : `@CASE@${id.slice(8)}`));
  return JSON.parse(text) as RecordedCase;
}

async function requestsOf(
  db: MemoryDynamoDb,
  work: () => Promise<unknown>,
): Promise<RecordedRequest[]> {
  const requests: RecordedRequest[] = [];
  const stops = OPERATIONS.map((operation) =>
    db.before(operation, ({ input }) => {
      requests.push({ operation, input });
    }),
  );
  await work();
  for (const stop of stops) stop();
  return requests;
}
