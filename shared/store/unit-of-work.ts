import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpProblems } from '../problems/http-problems.ts';
import {
  type CommitDependencies,
  type CommitOutcome,
  commitWrites,
  type PlannedWrite,
  type Write,
  type WriteGuard,
} from './commit-writes.ts';
import { conditionInput, notExists, updateInput } from './conditions.ts';
import type { Condition, Key, StorableItem, Update } from './table.ts';

/** A write, a hook or a message came after the end of its unit, and would have been lost. */
class UnitOfWorkEndedError extends Error {
  override readonly name = 'UnitOfWorkEndedError';
  readonly code = 'UNIT_ENDED';

  constructor() {
    super(
      'The unit of work has ended: await everything that writes or publishes in it (UNIT_ENDED)',
    );
  }
}

/**
 * Collects writes and commits them in one transaction. Once the work and its hooks have ended, each method throws
 * `UnitOfWorkEndedError`, because nothing would come of the call.
 */
export interface UnitOfWork {
  put(item: StorableItem, guard?: WriteGuard): void;
  /** Puts an item under a new unique key, such as a fresh id. Alone in its unit it costs half. */
  add(item: StorableItem): void;
  update(key: Key, update: Update, guard?: WriteGuard): void;
  delete(key: Key, guard?: WriteGuard): void;
  /** Adds a condition check without a write. */
  check(key: Key, guard: Required<Pick<WriteGuard, 'condition'>> & WriteGuard): void;
  /** Runs after the work and before the commit, and may still write; a failure fails the unit. */
  beforeCommit(work: () => Promise<void>): void;
  /**
   * Runs after the work and all `beforeCommit` hooks: stages what they have collected. It may write, but opens no unit
   * and adds no `beforeCommit` or `atClose` hook.
   */
  atClose(work: () => Promise<void>): void;
  /** Runs when this attempt does not commit, in reverse order: compensates for effects outside the unit. */
  afterFailure(work: () => Promise<void>): void;
  /** Runs after the commit, in order; a failure is logged and does not undo the commit. */
  afterCommit(work: () => Promise<void>): void;
  /** Conflicts of this unit are repeated for at least so long (ms), however many there are. */
  retryFor(ms: number): void;
}

/**
 * Runs work and commits its writes as one transaction. Inside a running unit it joins
 * that one. After a conflict, or a guard with `'retry'`, the work runs again. The invocation ends after it, awaited or not.
 * @throws Problem `UNIT_TOO_LARGE` (422) above 100 writes or 4 MB, `CONCURRENT_UPDATE` (409) or `SERVICE_UNAVAILABLE`
 *   (503) when retries did not help, or the error of the guard that failed; nothing is written then.
 */
export type RunUnitOfWork = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>;

export interface UnitOfWorkDependencies extends CommitDependencies {
  readonly tableName: string;
  /** Called with failures of hooks after the commit or roll-back. */
  readonly onAfterCommitError: (error: unknown) => void;
  /** Pause before try n (from 1); default: up to 25 ms x 2^n. */
  readonly pauseMs?: (attempt: number) => number;
  /** Keeps the invocation from ending before a unit that its caller may not await: a frozen environment would lose it. */
  readonly hold?: (unit: Promise<unknown>) => void;
  /** Milliseconds that have passed since some instant, for `retryFor`. */
  readonly elapsed?: () => number;
}

const MAX_ATTEMPTS = 8;
/** Longest pause of a unit that is repeated for a time (ms). */
const MAX_PATIENT_PAUSE_MS = 500;
const ambient = new AsyncLocalStorage<CollectedUnit | undefined>();

/** Creates the `unitOfWork` function of an environment. */
export function createUnitOfWork(dependencies: UnitOfWorkDependencies): RunUnitOfWork {
  return async <T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> => {
    const joined = ambient.getStore();
    if (joined) return work(joined.open());
    const run = runUnit(work, dependencies);
    dependencies.hold?.(run);
    return run;
  };
}

/** A unit of its own, tried until it commits. */
async function runUnit<T>(
  work: (unit: UnitOfWork) => Promise<T>,
  dependencies: UnitOfWorkDependencies,
): Promise<T> {
  const { elapsed = () => performance.now() } = dependencies;
  const begin = elapsed();
  for (let attempt = 1; ; attempt += 1) {
    const unit = new CollectedUnit(dependencies.tableName);
    const { outcome, result } = await attemptUnit(unit, work, dependencies);
    if (outcome === 'committed') {
      await runAll(unit.followUps, dependencies);
      return result;
    }
    await runAll(unit.undoings.toReversed(), dependencies);
    const isPatient = elapsed() - begin < unit.patienceMs;
    if (attempt >= MAX_ATTEMPTS && !isPatient) throw exhausted(outcome);
    await sleep(pauseOf(attempt, isPatient, dependencies));
  }
}

/** One try; what it has done besides is undone when it fails. */
async function attemptUnit<T>(
  unit: CollectedUnit,
  work: (unit: UnitOfWork) => Promise<T>,
  dependencies: UnitOfWorkDependencies,
): Promise<{ readonly outcome: CommitOutcome; readonly result: T }> {
  try {
    const result = await ambient.run(unit, () => unit.collect(work));
    return { outcome: await commitWrites(unit.writes, dependencies), result };
  } catch (error) {
    unit.end();
    await runAll(unit.undoings.toReversed(), dependencies);
    throw error;
  }
}

const exhausted = (outcome: CommitOutcome): Error =>
  outcome === 'busy' ? httpProblems.serviceUnavailable() : httpProblems.concurrentUpdate();

/** The pause after a try. */
function pauseOf(
  attempt: number,
  isPatient: boolean,
  { pauseMs = (after) => Math.random() * 25 * 2 ** after }: UnitOfWorkDependencies,
): number {
  const pause = pauseMs(attempt);
  return isPatient ? Math.min(pause, Math.random() * MAX_PATIENT_PAUSE_MS) : pause;
}

/**
 * The unit of work that is open around the caller; `undefined` outside of one.
 * @throws UnitOfWorkEndedError when the caller was started in a unit that did not wait for it.
 */
export function currentUnitOfWork(): UnitOfWork | undefined {
  return ambient.getStore()?.open();
}

/**
 * Runs work outside the caller's unit of work: units that it opens commit separately. For long work
 * started by a listener, which must be idempotent.
 */
export function apart<T>(work: () => Promise<T>): Promise<T> {
  return ambient.run(undefined, work);
}

class CollectedUnit implements UnitOfWork {
  readonly writes: PlannedWrite[] = [];
  readonly followUps: (() => Promise<void>)[] = [];
  readonly undoings: (() => Promise<void>)[] = [];
  readonly #preparations: (() => Promise<void>)[] = [];
  readonly #closings: (() => Promise<void>)[] = [];
  patienceMs = 0;
  readonly #tableName: string;
  #phase: 'open' | 'closing' | 'ended' = 'open';

  constructor(tableName: string) {
    this.#tableName = tableName;
  }

  /** Runs the work, then its `beforeCommit` hooks, which may add more, then its `atClose` hooks. */
  async collect<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const result = await work(this);
    for (const prepare of this.#preparations) await prepare();
    this.#phase = 'closing';
    for (const close of this.#closings) await close();
    this.end();
    return result;
  }

  end(): void {
    this.#phase = 'ended';
  }

  /** This unit while work may join it. @throws UnitOfWorkEndedError */
  open(): this {
    if (this.#phase !== 'open') throw new UnitOfWorkEndedError();
    return this;
  }

  put(item: StorableItem, guard: WriteGuard = {}): void {
    this.#checkNotEnded();
    const put = {
      ...{ TableName: this.#tableName, Item: { ...item } },
      ...conditionInput(guard.condition),
    };
    this.writes.push({ write: { Put: put }, guard, ...(guard.isPlain && { plain: put }) });
  }

  add(item: StorableItem): void {
    this.#checkNotEnded();
    const added = { TableName: this.#tableName, Item: { ...item }, ...conditionInput(notExists) };
    this.writes.push({ write: { Put: added }, guard: {}, added });
  }

  update({ pk, sk }: Key, update: Update, guard: WriteGuard = {}): void {
    this.#add(
      {
        Update: {
          TableName: this.#tableName,
          Key: { pk, sk },
          ...updateInput(update, guard.condition),
        },
      },
      guard,
    );
  }

  delete({ pk, sk }: Key, guard: WriteGuard = {}): void {
    this.#add(
      {
        Delete: { TableName: this.#tableName, Key: { pk, sk }, ...conditionInput(guard.condition) },
      },
      guard,
    );
  }

  check({ pk, sk }: Key, guard: WriteGuard & { condition: Condition }): void {
    const { ConditionExpression = '', ...input } = conditionInput(guard.condition);
    this.#add(
      {
        ConditionCheck: {
          TableName: this.#tableName,
          Key: { pk, sk },
          ConditionExpression,
          ...input,
        },
      },
      guard,
    );
  }

  beforeCommit(work: () => Promise<void>): void {
    this.open().#preparations.push(work);
  }

  atClose(work: () => Promise<void>): void {
    this.open().#closings.push(work);
  }

  afterFailure(work: () => Promise<void>): void {
    this.#checkNotEnded();
    this.undoings.push(work);
  }

  afterCommit(work: () => Promise<void>): void {
    this.#checkNotEnded();
    this.followUps.push(work);
  }

  retryFor(ms: number): void {
    this.#checkNotEnded();
    this.patienceMs = Math.max(this.patienceMs, ms);
  }

  #add(write: Write, guard: WriteGuard): void {
    this.#checkNotEnded();
    this.writes.push({ write, guard });
  }

  #checkNotEnded(): void {
    if (this.#phase === 'ended') throw new UnitOfWorkEndedError();
  }
}

async function runAll(
  works: readonly (() => Promise<void>)[],
  { onAfterCommitError }: UnitOfWorkDependencies,
): Promise<void> {
  for (const work of works) await work().catch(onAfterCommitError);
}
