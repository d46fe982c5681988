import type { PageRequest, ReadPage } from '../../../../shared/store/paged-read.ts';
import { readPage } from '../../../../shared/store/paged-read.ts';
import type { Item, Key, QueryInput, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { OVERDUE_TIMERS, sweptHourKey, timerPartition, timersOfTenant } from '../case-keys.ts';
import { itemOf, type StoredTimer, type TimerState, toTimer } from './timer-items.ts';

export interface TimerStoreDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
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
  ofHour(hour: string, until: string, most: number): Promise<StoredTimer[]> {
    return this.#read({ partition: timerPartition(hour), between: dueBy(until) }, most);
  }

  /** Timers beside the hours that are to be tried at the instant, oldest first. */
  overdue(now: string, most: number): Promise<StoredTimer[]> {
    const filter = {
      expression: '#state = :pending AND (attribute_not_exists(#next) OR #next <= :now)',
      names: { '#state': 'state', '#next': 'nextTryAt' },
      values: { ':pending': 'PENDING', ':now': now },
    };
    return this.#read({ partition: OVERDUE_TIMERS, filter }, most);
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
    const keys = timers.flatMap(({ planItemInstanceId, dueAt }) => {
      const sk = `${dueAt}#${planItemInstanceId}`;
      return [
        { pk: OVERDUE_TIMERS, sk },
        { pk: timerPartition(dueAt), sk },
      ];
    });
    return (await this.#deps.table.getMany(keys)).map(toTimer);
  }

  /** Stores how a timer fares, beside its hour. @returns the timer; `undefined` when it is no longer as it was read */
  async change(
    timer: StoredTimer,
    changes: Partial<StoredTimer>,
  ): Promise<StoredTimer | undefined> {
    const { pk, sk } = timer;
    const changed = { ...timer, ...changes, pk: OVERDUE_TIMERS };
    const isDone = await this.#unlessChanged(async (unit) => {
      const item = itemOf(changed);
      if (pk === OVERDUE_TIMERS) unit.put(item, guardOf(timer));
      else {
        unit.delete({ pk, sk }, guardOf(timer));
        unit.put(item);
      }
    });
    return isDone ? changed : undefined;
  }

  /** Deletes the row of a timer that no case knows any more. */
  async drop(timer: StoredTimer): Promise<void> {
    const { pk, sk } = timer;
    await this.#unlessChanged(async (unit) => unit.delete({ pk, sk }, guardOf(timer)));
  }

  /** The oldest hour that may have timers. */
  async sweptHour(): Promise<string | undefined> {
    const item = await this.#deps.table.get(sweptHourKey);
    return item && String(item.hour);
  }

  async noteHour(hour: string): Promise<void> {
    await this.#deps.unitOfWork(async (unit) =>
      unit.put({ ...sweptHourKey, type: 'timer_sweep', hour }),
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
    query: Pick<QueryInput, 'partition' | 'between' | 'filter'>,
    most: number,
  ): Promise<StoredTimer[]> {
    const timers: StoredTimer[] = [];
    let startKey: QueryInput['startKey'];
    do {
      const page = await this.#deps.table.query<Item>({
        ...{ ...query, limit: PAGE, startKey, consistent: true },
      });
      timers.push(...page.items.map(toTimer));
      startKey = page.lastKey;
    } while (startKey && timers.length < most);
    return timers.slice(0, most);
  }
}

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
