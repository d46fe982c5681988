import { isDeepStrictEqual } from 'node:util';
import type { Expectations } from './scenario.ts';
import {
  findCase,
  isEnded,
  isOpen,
  type SeenCase,
  type SeenPlanItem,
  type SeenWorld,
} from './seen.ts';

/** What a check sees. */
interface Subject {
  readonly world: SeenWorld;
  readonly seen: SeenCase;
}

type Check = (subject: Subject, expected: unknown) => string | undefined;
type Names = readonly string[];

const show = (value: unknown): string => JSON.stringify(value);

function same(actual: unknown, expected: unknown): string | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  return `expected ${show(expected)}, found ${show(actual)}`;
}

/** Lists are multisets. */
const sameList = (actual: readonly unknown[], expected: unknown): string | undefined =>
  same([...actual].map(show).sort(), [...(expected as readonly unknown[])].map(show).sort());

const all = ({ live, ended }: SeenCase): readonly SeenPlanItem[] => [...live, ...ended];
const stateOf = ({ instance }: SeenPlanItem): string => instance.state;
const nameOf = ({ instance }: SeenPlanItem): string => instance.name;
const openTasks = ({ live }: SeenCase): SeenPlanItem[] =>
  live.filter((item) => item.definitionType === 'humanTask' && stateOf(item) === 'active');

/** A key of an expectation: instance name, `id:<definition id>` or `type:<type>`. */
function matchesKey(item: SeenPlanItem, key: string): boolean {
  if (key.startsWith('id:')) return item.definitionKey === key.slice(3);
  if (key.startsWith('type:')) return item.definitionType === key.slice(5);
  return nameOf(item) === key;
}

/** Checks every entry of an expectation that is an object. */
function each(
  expected: unknown,
  check: (key: string, value: unknown) => string | undefined,
): string | undefined {
  for (const [key, value] of Object.entries(expected as Record<string, unknown>)) {
    const failure = check(key, value);
    if (failure) return `${key}: ${failure}`;
  }
  return undefined;
}

function countBy(
  items: readonly SeenPlanItem[],
  keyOf: (item: SeenPlanItem) => string,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

const checkCounts =
  (
    items: (seen: SeenCase) => readonly SeenPlanItem[],
    keyOf: (item: SeenPlanItem) => string,
  ): Check =>
  ({ seen }, expected) => {
    const counts = countBy(items(seen), keyOf);
    return each(expected, (key, count) => same(counts[key] ?? 0, count));
  };

const checkStates =
  (items: (seen: SeenCase) => readonly SeenPlanItem[]): Check =>
  ({ seen }, expected) =>
    each(expected, (key, states) =>
      sameList(
        items(seen)
          .filter((item) => matchesKey(item, key))
          .map(stateOf),
        states,
      ),
    );

const checkTasks =
  (facts: (item: SeenPlanItem) => unknown): Check =>
  ({ seen }, expected) =>
    each(expected, (name, value) => {
      const tasks = openTasks(seen).filter((item) => name === '*' || nameOf(item) === name);
      if (tasks.length === 0) return 'there is no such open task';
      for (const item of tasks) {
        const actual = facts(item);
        const isSame = Array.isArray(actual) ? !sameList(actual, value) : !same(actual, value);
        if (!isSame) return `expected ${show(value)}, found ${show(actual)}`;
      }
      return undefined;
    });

const contains = (actual: Names, expected: unknown): string | undefined =>
  (expected as Names).every((name) => actual.includes(name))
    ? undefined
    : `expected at least ${show(expected)}, found ${show(actual)}`;
const lacks = (actual: Names, expected: unknown): string | undefined =>
  (expected as Names).some((name) => actual.includes(name))
    ? `expected none of ${show(expected)}, found ${show(actual)}`
    : undefined;

const checkStateNames: Check = ({ seen }, expected) =>
  each(expected, (state, names) =>
    sameList(
      all(seen)
        .filter((item) => stateOf(item) === state)
        .map(nameOf),
      names,
    ),
  );

/** One entry for each active instance, in any order: each names some of its local variables. */
const checkLocalVariables: Check = ({ seen }, expected) =>
  each(expected, (key, entries) => {
    const active = seen.live
      .filter((item) => matchesKey(item, key) && stateOf(item) === 'active')
      .map(({ instance }) => instance.variables ?? {});
    const left = [...active];
    for (const entry of entries as readonly Record<string, unknown>[]) {
      const index = left.findIndex((variables) =>
        Object.entries(entry).every(([name, value]) =>
          isDeepStrictEqual(variables[name] ?? null, value),
        ),
      );
      if (index < 0) return `expected ${show(entries)}, found ${show(active)}`;
      left.splice(index, 1);
    }
    return same(left.length, 0);
  });

/** The variable that holds the initiator is not asked for. */
const checkVariablesExact: Check = ({ seen }, expected) => {
  const actual = { ...seen.instance.variables };
  if (!Object.hasOwn(expected as object, 'initiator')) delete actual.initiator;
  return same(actual, expected);
};

/** Every expectation of a scenario, by its key. */
const CHECKS: Readonly<Record<string, Check>> = {
  planItems: checkStates(({ live }) => live),
  allPlanItems: checkStates(all),
  planItemCount: ({ seen }, count) => same(seen.live.length, count),
  allPlanItemCount: ({ seen }, count) => same(all(seen).length, count),
  stateCounts: checkCounts(({ live }) => live, stateOf),
  allStateCounts: checkCounts(all, stateOf),
  stateNames: checkStateNames,
  typeCounts: checkCounts(
    ({ live }) => live,
    ({ definitionType }) => definitionType,
  ),
  typeNames: ({ seen }, expected) =>
    each(expected, (type, names) =>
      sameList(seen.live.filter((item) => item.definitionType === type).map(nameOf), names),
    ),
  typeStateCounts: ({ seen }, expected) =>
    each(expected, (type, counts) => {
      const states = countBy(
        seen.live.filter((item) => item.definitionType === type),
        stateOf,
      );
      return each(counts, (state, count) => same(states[state] ?? 0, count));
    }),
  activeCounts: ({ seen }, expected) =>
    each(expected, (key, count) =>
      same(
        seen.live.filter((item) => matchesKey(item, key) && stateOf(item) === 'active').length,
        count,
      ),
    ),
  runtimeNames: ({ seen }, names) => sameList(seen.live.map(nameOf), names),
  activeTasks: ({ seen }, names) => sameList(openTasks(seen).map(nameOf), names),
  taskCount: ({ seen }, count) => same(openTasks(seen).length, count),
  tasksContain: ({ seen }, names) => contains(openTasks(seen).map(nameOf), names),
  tasksAbsent: ({ seen }, names) => lacks(openTasks(seen).map(nameOf), names),
  taskKeysContain: ({ seen }, keys) =>
    contains(
      openTasks(seen).map((i) => i.definitionKey),
      keys,
    ),
  taskKeysAbsent: ({ seen }, keys) =>
    lacks(
      openTasks(seen).map((i) => i.definitionKey),
      keys,
    ),
  taskAssignees: checkTasks(({ instance }) => instance.task?.assignee ?? null),
  taskCandidateUsers: checkTasks(({ instance }) => instance.task?.candidateUsers),
  taskCandidateGroups: checkTasks(({ instance }) => instance.task?.candidateGroups),
  milestones: ({ seen }, names) => sameList(seen.milestones, names),
  milestoneCount: ({ seen }, count) => same(seen.milestones.length, count),
  completable: ({ seen }, expected) =>
    each(expected, (key, value) => {
      const stages = seen.live.filter(
        (item) => item.definitionType === 'stage' && matchesKey(item, key),
      );
      const flags = stages.map(({ instance }) => instance.completable ?? false);
      return flags.length > 0 && flags.every((flag) => flag === value)
        ? undefined
        : `expected ${show(value)}, found ${show(flags)}`;
    }),
  caseCompletable: ({ seen }, value) => same(seen.instance.completable, value),
  variables: ({ seen }, expected) =>
    each(expected, (name, value) => same(seen.instance.variables[name], value)),
  variablesExact: checkVariablesExact,
  variablesAbsent: ({ seen }, names) => lacks(Object.keys(seen.instance.variables), names),
  localVariables: checkLocalVariables,
  timerCount: ({ seen }, count) =>
    same(seen.live.filter(({ instance }) => instance.timer).length, count),
  caseState: ({ seen }, state) => same(seen.instance.state, state),
  caseEnded: ({ seen }, value) => same(isEnded(seen.instance.state), value),
  businessStatus: ({ seen }, status) => same(seen.instance.businessStatus ?? null, status),
  openCases: ({ world }, count) => same(world.cases.filter(isOpen).length, count),
  finishedCases: ({ world }, count) => same(world.cases.filter((c) => !isOpen(c)).length, count),
  childCases: ({ world }, expected) =>
    each(expected, (key, inner) => {
      const child = findCase(world, key);
      return child ? checkCase(world, child, inner as Expectations) : 'there is no such case';
    }),
};

/** The first expectation that is not met, in words. */
export function checkCase(
  world: SeenWorld,
  seen: SeenCase,
  expectations: Expectations,
): string | undefined {
  for (const [key, expected] of Object.entries(expectations)) {
    const check = CHECKS[key];
    const failure = check ? check({ world, seen }, expected) : 'this expectation is not known';
    if (failure) return `${key}: ${failure}`;
  }
  return undefined;
}
