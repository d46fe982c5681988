import { expect } from 'vitest';
import type { TaskRecord } from '../../../functions/workflow/domain/cases/task-record.ts';
import type { StoredFamily } from '../../../functions/workflow/store/families/family-store.ts';
import { taskRowKeys } from '../../../functions/workflow/store/task-keys.ts';

type Row = Readonly<Record<string, unknown>>;

const keyOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }) => `${pk} / ${sk}`;
const isOpen = ({ status }: Row): boolean => status !== 'COMPLETED' && status !== 'CANCELLED';

/** What the table must have besides the states of cases, and whether it has that and nothing else. */
export interface RowsToBe {
  readonly items: readonly Row[];
  /** The family of each case that is there. */
  readonly families: ReadonlyMap<string, StoredFamily>;
}

/** Ids of the cases that have a head. */
export const casesIn = (items: readonly Row[]): string[] =>
  items.filter(({ sk }) => sk === 'LIVE#HEAD').map(({ pk }) => String(pk).slice('CASE#'.length));

/**
 * Expects that tasks, rows of tasks, timers, signals and work, and lists of cases are those of the states, that nothing is
 * left of cases that are gone, and that no command or deletion has left anything to do.
 */
export function expectRowsOfStates({ items, families }: RowsToBe, why: string): void {
  const keys = items.map(keyOf).sort();
  const under = (prefix: string) => keys.filter((key) => key.startsWith(prefix));
  const sortKeys = (prefix: string) => under(prefix).map((key) => key.split(' / ')[1]);
  expect([...under('CASEREST'), ...under('CASEERASE'), ...under('CASEOBJECT')], why).toEqual([]);

  const cases = [...new Set(families.values())].flatMap(({ state }) => state.cases);
  const live = cases.flatMap((of) => of.planItems.map((item) => ({ ...item, of })));
  const idsOf = (planItemId: string, isMeant: (item: (typeof live)[number]) => boolean) =>
    live
      .filter((item) => item.planItemId === planItemId && isMeant(item))
      .map(({ id }) => id)
      .sort();

  const tasks = items.filter(({ type }) => type === 'task');
  const open = tasks.filter(isOpen);
  const isAtWork = ({ state, suspendedFrom }: (typeof live)[number]) =>
    state === 'active' || (state === 'suspended' && suspendedFrom === 'active');
  expect(open.map(({ taskId }) => String(taskId)).sort(), why).toEqual(idsOf('piEach', isAtWork));
  const rows = open.flatMap((task) => taskRowKeys(task as unknown as TaskRecord)).map(keyOf);
  expect(
    under('TASKIDX#').filter((key) => !key.startsWith('TASKIDX##GROUPS')),
    why,
  ).toEqual(rows.filter((key) => key.startsWith('TASKIDX#')).sort());

  const offered = idsOf('piWork', ({ state }) => state === 'active');
  expect(sortKeys('WORK##TOPIC#'), why).toEqual(offered);
  expect(
    under('WORK#').filter((key) => key.endsWith(' / WORK')),
    why,
  ).toEqual(idsOf('piWork', isAtWork).map((id) => `WORK#${id} / WORK`));
  const waiting = idsOf('piNews', ({ state }) => state === 'available');
  expect(sortKeys('SIGNAL#'), why).toEqual(waiting);
  const timers = items.filter(({ type }) => type === 'timer');
  expect(timers.map(({ planItemInstanceId }) => planItemInstanceId).sort(), why).toEqual(
    idsOf('piTimer', ({ state, of }) => state === 'available' && of.state === 'active'),
  );

  const states = cases.map(({ id, state }) => `${state} ${id}`).sort();
  const listed = under('CASEIDX##STATE#').map((key) => {
    const [state = '', place = ''] = key.slice('CASEIDX##STATE#'.length).split(' / ');
    return `${state} ${place.slice(place.lastIndexOf('#') + 1)}`;
  });
  expect(listed.sort(), why).toEqual(states);
  const owners = new Set(cases.map(({ id }) => id));
  const homeless = under('CASE#').filter((key) => !owners.has(key.slice(5).split(' / ')[0] ?? ''));
  expect(homeless, why).toEqual([]);
  expect(
    tasks.filter(({ caseInstanceId }) => !owners.has(String(caseInstanceId))),
    why,
  ).toEqual([]);
}
