import {
  ConditionalCheckFailedException,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { faultPoint } from '../primitives/fault-point.ts';
import type { IdGenerator } from '../primitives/ids.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { Condition } from './table.ts';

/** Condition of a write, and what its failure means. */
export interface WriteGuard {
  readonly condition?: Condition;
  /**
   * When the condition fails: throw the returned error or, with `'retry'`, run the
   * whole unit again on the current data.
   */
  readonly otherwise?: 'retry' | (() => Error | Promise<Error>);
  /** Called when the unit runs again for this write: a concurrent transaction about its item won, or `'retry'` applies. */
  readonly onRetry?: () => void;
  /**
   * For a put: alone in its unit it is a plain conditional one, which costs half. The client repeats a request whose answer
   * is lost: whoever handles the failed condition may then find what it has put itself. Default: false.
   */
  readonly isPlain?: boolean;
}

/** One part of a transaction. */
export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write of a unit, and what happens when its condition does not hold. */
export interface PlannedWrite {
  readonly write: Write;
  readonly guard: WriteGuard;
  /** The put as a single request, used when the key is unique to the caller. */
  readonly added?: PutCommandInput;
  /** The put as a single request, whose condition may fail. */
  readonly plain?: PutCommandInput;
}

export interface CommitDependencies {
  readonly client: DynamoDBDocumentClient;
  readonly ids: IdGenerator;
}

/** `conflict`: a concurrent transaction won; `busy`: throttled. */
export type CommitOutcome = 'committed' | 'conflict' | 'busy';

/** Transient cancellation reasons. */
const BUSY: ReadonlySet<string> = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Most writes in one DynamoDB transaction. */
const MAX_WRITES = 100;
/** Most bytes of its items; up to ten items of 400 KB never exceed it. */
const MAX_BYTES = 4 * 1_024 * 1_024;
const ALWAYS_LIGHT_ENOUGH = 10;

/**
 * Commits writes as one transaction; a lone put under a key of the caller's own, or that says so, is one plain write.
 * @throws Problem `UNIT_TOO_LARGE` (422), the error of the guard that failed, or what the table answers.
 */
export async function commitWrites(
  writes: readonly PlannedWrite[],
  dependencies: CommitDependencies,
): Promise<CommitOutcome> {
  const count = writes.length;
  if (count === 0) return 'committed';
  if (count > ALWAYS_LIGHT_ENOUGH) refuseTooLarge(writes.map(({ write }) => write));
  faultPoint('before-commit');
  const outcome = await (count === 1
    ? commitOne(writes, dependencies)
    : transact(writes, dependencies));
  if (outcome === 'committed') faultPoint('after-commit');
  return outcome;
}

async function commitOne(
  writes: readonly PlannedWrite[],
  dependencies: CommitDependencies,
): Promise<CommitOutcome> {
  const [only] = writes;
  if (!only) return 'committed';
  const { added, plain, guard } = only;
  if (added) return (await putAlone(added, dependencies)) ?? 'committed';
  if (!plain) return transact(writes, dependencies);
  const outcome = await putAlone(plain, dependencies);
  if (outcome === 'conflict') guard.onRetry?.();
  if (outcome) return outcome;
  const { otherwise } = guard;
  if (otherwise !== 'retry')
    throw (await otherwise?.()) ?? new Error('The condition of a plain put does not hold');
  guard.onRetry?.();
  return 'conflict';
}

/** @returns `undefined` when the condition does not hold: of a key that is ours, because an earlier attempt has succeeded */
async function putAlone(
  put: PutCommandInput,
  { client }: CommitDependencies,
): Promise<CommitOutcome | undefined> {
  try {
    await client.send(new PutCommand(put));
    return 'committed';
  } catch (cause) {
    if (cause instanceof ConditionalCheckFailedException) return undefined;
    if (cause instanceof TransactionConflictException) return 'conflict';
    if (isThrottling(cause)) return 'busy';
    throw cause;
  }
}

async function transact(
  writes: readonly PlannedWrite[],
  { client, ids }: CommitDependencies,
): Promise<CommitOutcome> {
  const items = writes.map(({ write }) => write);
  try {
    await client.send(
      new TransactWriteCommand({ TransactItems: items, ClientRequestToken: ids() }),
    );
    return 'committed';
  } catch (cause) {
    const outcome =
      cause instanceof TransactionCanceledException ? await judge(cause, writes) : undefined;
    if (outcome === undefined) throw cause;
    return outcome;
  }
}

const isThrottling = (cause: unknown): boolean =>
  cause instanceof ProvisionedThroughputExceededException ||
  cause instanceof ThrottlingException ||
  cause instanceof RequestLimitExceeded;

function refuseTooLarge(items: readonly Write[]): void {
  const { length: writes } = items;
  const bytes = bytesOf(items);
  if (writes <= MAX_WRITES && bytes <= MAX_BYTES) return;
  throw httpProblems.unitTooLarge({ writes, maxWrites: MAX_WRITES, bytes, maxBytes: MAX_BYTES });
}

/** The size of the request, which consists mostly of items; binary values count as they are stored, and not as JSON. */
function bytesOf(items: readonly Write[]): number {
  let binary = 0;
  const text = JSON.stringify(items, function (this: Record<string, unknown>, name, value) {
    const original = this[name];
    if (!(original instanceof Uint8Array)) return value;
    binary += original.byteLength;
    return null;
  });
  return Buffer.byteLength(text) + binary;
}

/**
 * Classifies a cancelled transaction; `undefined`: a retry would not help.
 * @throws the error of the first guard whose condition did not hold.
 */
async function judge(
  cancelled: TransactionCanceledException,
  writes: readonly PlannedWrite[],
): Promise<'conflict' | 'busy' | undefined> {
  const codes = (cancelled.CancellationReasons ?? []).map(({ Code }) => Code);
  const refused = writes[codes.indexOf('ConditionalCheckFailed')];
  if (refused && refused.guard.otherwise !== 'retry') {
    throw (await refused.guard.otherwise?.()) ?? cancelled;
  }
  const retried = writes.filter(
    ({ guard }, at) =>
      codes[at] === 'TransactionConflict' ||
      (codes[at] === 'ConditionalCheckFailed' && guard.otherwise === 'retry'),
  );
  for (const { guard } of retried) guard.onRetry?.();
  if (retried.length > 0) return 'conflict';
  return codes.some((code) => code !== undefined && BUSY.has(code)) ? 'busy' : undefined;
}
