import type { PageRequest, ReadPage } from '../../../../shared/store/paged-read.ts';
import { readPage } from '../../../../shared/store/paged-read.ts';
import type { Item, Key, QueryInput, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import {
  FAILED_TIMERS,
  OVERDUE_TIMERS,
  sweptHourKey,
  timerPartition,
  timersOfTenant,
} from '../case-keys.ts';
import { itemOf, type StoredTimer, type TimerState, timerPlaces, toTimer } from './timer-items.ts';

export interface TimerStoreDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
}

/** How far the sweep has come. */
export interface SweptPlace {
  /** The oldest hour that may have timers. */
  readonly hour: string;
  /** Where it goes on among the overdue timers, when it had no time for all. */
  readonly overdueAfter?: string | undefined;
}

const PAGE = 500;

/** Somebody has fired, withdrawn or changed the timer meanwhile. */
class ChangedMeanwhile extends Error {}

/** Rows of timers. */
export class TimerStore {
  readonly #deps: TimerStoreDependencies;

  constructor(dependencies: TimerStoreDependencies) {
    this.#deps = dependencies;
  }

  /** Timers of an hour (`2026-03-01T09`) that are due by the instant, oldest first. */
  async ofHour(hour: string, until: string, most: number): Promise<StoredTimer[]> {
    const read = { partition: timerPartition(hour), between: dueBy(until) };
    return (await this.#read(read, most)).timers;
  }

  /**
   * Timers beside the hours that are to be tried at the instant, oldest first: from a place on, as far as there is time.
   * @returns the timers, and the place from which to go on when there was no time for all
   */
  async overdue(
    now: string,
    most: number,
    { after, isLate }: { readonly after?: string | undefined; readonly isLate: () => boolean },
  ): Promise<{ readonly timers: StoredTimer[]; readonly next?: string | undefined }> {
    const filter = {
      expression: 'attribute_not_exists(#next) OR #next <= :now',
      names: { '#next': 'nextTryAt' },
      values: { ':now': now },
    };
    const startKey = after === undefined ? undefined : { pk: OVERDUE_TIMERS, sk: after };
    const read = { partition: OVERDUE_TIMERS, filter, startKey };
    const { timers, lastKey } = await this.#read(read, most, isLate);
    return { timers, next: timers.length < most ? lastKey?.sk : undefined };
  }

  /** Timers of one tenant that are due by the instant, oldest first; by an index, so that newest rows may be missing. */
  async ofTenant(tenantCode: string, until: string, most: number): Promise<StoredTimer[]> {
    const partition = timersOfTenant(tenantCode, 'PENDING');
    const between = dueBy(until);
    const { items } = await this.#deps.table.query<Key>({
      ...{ index: 'gsi1', partition, between, limit: most },
    });
    return this.#deps.table
      .getMany(items.map(({ pk, sk }) => ({ pk, sk })))
      .then((found) => found.map(toTimer));
  }

  /** A page of the timers of a tenant, by due time. */
  async page(
    tenantCode: string,
    state: TimerState,
    request: PageRequest,
  ): Promise<ReadPage<StoredTimer>> {
    const partition = timersOfTenant(tenantCode, state);
    const found = await readPage<Item>(this.#deps.table, { index: 'gsi1', partition }, request, {
      tenantCode,
      state,
    });
    const keys = found.content.map(({ pk, sk }) => ({ pk, sk }));
    const timers = await this.#deps.table.getMany(keys);
    return { ...found, content: timers.map(toTimer) };
  }

  /** The timer of an instance with that due time. */
  async find(planItemInstanceId: string, dueAt: string): Promise<StoredTimer | undefined> {
    const [found] = await this.many([{ planItemInstanceId, dueAt }]);
    return found;
  }

  /** Timers by instance and due time, as far as they are there. */
  async many(
    timers: readonly { readonly planItemInstanceId: string; readonly dueAt: string }[],
  ): Promise<StoredTimer[]> {
    const keys = timers.flatMap(timerPlaces);
    return (await this.#deps.table.getMany(keys)).map(toTimer);
  }

  /** Stores attempts and errors of a timer, beside its hour. @returns the timer; `undefined` when it is no longer as it was read */
  async change(
    timer: StoredTimer,
    changes: Partial<StoredTimer>,
  ): Promise<StoredTimer | undefined> {
    const { pk, sk } = timer;
    const { state = timer.state } = changes;
    const changed = {
      ...{ ...timer, ...changes },
      pk: state === 'FAILED' ? FAILED_TIMERS : OVERDUE_TIMERS,
    };
    const isDone = await this.#unlessChanged(async (unit) => {
      const item = itemOf(changed);
      if (pk === changed.pk) unit.put(item, guardOf(timer));
      else {
        unit.delete({ pk, sk }, guardOf(timer));
        unit.put(item);
      }
    });
    return isDone ? changed : undefined;
  }

  /** Deletes the row of a timer that its case no longer has. */
  async drop(timer: StoredTimer): Promise<void> {
    const { pk, sk } = timer;
    await this.#unlessChanged(async (unit) => unit.delete({ pk, sk }, guardOf(timer)));
  }

  /** How far the sweep has come. */
  async swept(): Promise<SweptPlace | undefined> {
    const item = await this.#deps.table.get<Item & SweptPlace>(sweptHourKey);
    return item && { hour: item.hour, overdueAfter: item.overdueAfter };
  }

  async noteSwept(place: SweptPlace): Promise<void> {
    await this.#deps.unitOfWork(async (unit) =>
      unit.put({ ...sweptHourKey, type: 'timer_sweep', ...place }),
    );
  }

  async #unlessChanged(work: Parameters<RunUnitOfWork>[0]): Promise<boolean> {
    try {
      await this.#deps.unitOfWork(work);
      return true;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return false;
      throw error;
    }
  }

  async #read(
    query: Pick<QueryInput, 'partition' | 'between' | 'filter' | 'startKey'>,
    most: number,
    isLate = () => false,
  ): Promise<{ readonly timers: StoredTimer[]; readonly lastKey?: Key | undefined }> {
    const timers: StoredTimer[] = [];
    let { startKey } = query;
    do {
      const page = await this.#deps.table.query<Item>({
        ...{ ...query, limit: PAGE, startKey, consistent: true },
      });
      timers.push(...page.items.map(toTimer));
      startKey = page.lastKey;
    } while (startKey && timers.length < most && !isLate());
    return { timers: timers.slice(0, most), lastKey: startKey && keyOf(startKey) };
  }
}

const keyOf = ({ pk, sk }: Readonly<Record<string, unknown>>): Key => ({
  pk: String(pk),
  sk: String(sk),
});

/** Sort keys of all that is due by the instant. */
const dueBy = (until: string) => ({ from: '0', to: `${until}~` });

const guardOf = ({ at, attempts }: StoredTimer) => ({
  condition: {
    expression: '#at = :at AND #attempts = :attempts',
    names: { '#at': 'at', '#attempts': 'attempts' },
    values: { ':at': at, ':attempts': attempts },
  },
  otherwise: () => new ChangedMeanwhile(),
});
