import { describe, expect, it } from 'vitest';
import { Misfit } from '../../../../../functions/workflow/domain/cmmn/contract/form.ts';
import type { CaseInstance } from '../../../../../functions/workflow/domain/cmmn/contract/state.ts';
import { caseForm } from '../../../../../functions/workflow/domain/cmmn/contract/state-form.ts';
import { readState } from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { CASE_SCHEMA } from '../../../../helpers/cmmn/state-schema.ts';

type Path = readonly (string | number)[];

const AT = '2026-01-05T08:00:00.000Z';

/** A stored case that has every member there is, which no case has. */
const EVERYTHING: Required<CaseInstance> = {
  formatVersion: 1,
  id: 'case-1',
  familyId: 'case-0',
  definitionId: 'definition-1',
  definitionKey: 'claim',
  tenantId: 'acme',
  name: 'Claim',
  businessKey: 'C-1',
  businessStatus: 'open',
  state: 'active',
  completable: false,
  variables: { amount: 12.5, list: [1, { deep: null }] },
  planItems: [
    {
      id: 'item-1',
      planItemId: 'pi1',
      name: 'Check',
      state: 'suspended',
      stageInstanceId: 'stage-1',
      variables: { each: 'a' },
      satisfiedParts: ['part'],
      completable: true,
      createdAt: AT,
      enabledAt: AT,
      startedAt: AT,
      endedAt: AT,
      entryCriterionId: 'entry',
      exitCriterionId: 'exit',
      suspendedFrom: 'active',
      isSuspendedItself: true,
      timer: { dueAt: AT, every: 'PT1H', remaining: 2, until: AT },
      task: {
        description: 'Look',
        assignee: 'ann',
        owner: 'bob',
        candidateUsers: ['ann'],
        candidateGroups: ['clerks'],
        priority: 50,
        dueDate: AT,
        category: 'claims',
        formKey: 'check',
      },
      childCaseInstanceId: 'case-2',
      processInstanceId: 'process-1',
      signalName: 'paid',
    },
  ],
  satisfiedParts: ['part'],
  parent: { caseInstanceId: 'case-0', planItemInstanceId: 'item-0', isWaiting: true },
  depth: 1,
  completedBefore: { '': ['pi0'], 'stage-1': ['pi2'] },
  endedCounts: { pi0: { completed: 1, terminated: 2, failed: 3 } },
  aggregations: [
    {
      planItemId: 'pi1',
      stageInstanceId: 'stage-1',
      index: 0,
      target: 'all',
      entries: [{ counter: 0, value: { who: 'ann' } }],
    },
  ],
  startedBy: 'ann',
  startedAt: AT,
  endedAt: AT,
  reactivatedAt: AT,
  isSuspendedItself: true,
};

const REPLACEMENTS: readonly unknown[] = [
  ...[undefined, null, true, false, '', 'text', 'active', 'available', 'unavailable', AT],
  ...['2026-02-30T08:00:00.000Z', '2026-01-05', 'completed', 'case', 'constructor'],
  ...[-1, 0, 1, 1.5, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY],
  ...[[], [''], ['a'], [1], [null], [undefined], [{}], [[]], new Array(2)],
  ...[{}, { extra: 1 }, { a: [] }, { a: ['b'] }, { a: { completed: 1 } }, { task: 1 }],
  ...[() => 1, Symbol('s'), 1n],
];

const pathsIn = (value: unknown, path: Path = []): Path[] =>
  value === null || typeof value !== 'object'
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))];

/** A copy in which something else stands there; nothing with `remove`. */
function changed(value: unknown, [key, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const copy: unknown = Array.isArray(value) ? [...value] : { ...Object(value) };
  Reflect.set(Object(copy), key, changed(Reflect.get(Object(copy), key), rest, change));
  return copy;
}

/** The form and the schema say the same of it. */
function expectAgreement(value: unknown, what: string): void {
  const ours = caseForm(value);
  const theirs = CASE_SCHEMA.safeParse(value);
  expect(!(ours instanceof Misfit), what).toBe(theirs.success);
  if (theirs.success) expect(ours, what).toEqual(theirs.data);
}

describe('the form of a stored case', () => {
  it('has every member', () => {
    expect(caseForm(EVERYTHING)).toEqual(EVERYTHING);
    expectAgreement(EVERYTHING, 'everything');
  });

  it.each(pathsIn(EVERYTHING).map((path) => [path.join('.'), path] as const))(
    'agrees with the schema, whatever is there: %s',
    (name, path) => {
      for (const replacement of REPLACEMENTS) {
        expectAgreement(
          changed(EVERYTHING, path, () => replacement),
          `${name}: ${String(replacement)}`,
        );
      }
    },
  );

  it.each(pathsIn(EVERYTHING).map((path) => [path.join('.'), path] as const))(
    'agrees with the schema when something is missing or too much: %s',
    (name, path) => {
      expectAgreement(
        changed(EVERYTHING, path, (old) =>
          Object(old) === old ? { ...Object(old), extra: 1 } : old,
        ),
        `${name}: more`,
      );
      const [last] = path.slice(-1);
      const without = changed(EVERYTHING, path.slice(0, -1), (holder) =>
        Object.fromEntries(Object.entries(Object(holder)).filter(([key]) => key !== last)),
      );
      expectAgreement(without, `${name}: less`);
    },
  );

  it.each([new Date(0), new Map(), new WeakSet()])('takes no %o for an object of JSON', (value) => {
    const wrong = changed(EVERYTHING, ['planItems', 0, 'task'], () => value);

    expect(caseForm(wrong)).toMatchObject({ path: ['planItems', '0', 'task'] });
  });

  it('tells where something is wrong, and what', () => {
    const wrong = changed(EVERYTHING, ['planItems', 0, 'task', 'candidateUsers', 0], () => 1);

    expect(() => readState({ formatVersion: 1, cases: [wrong] })).toThrow(
      'planItems.0.task.candidateUsers.0: not a text',
    );
  });

  it('is read into a frozen copy, whose variables are as they were', () => {
    const stored: CaseInstance = structuredClone(EVERYTHING);
    const copy = caseForm(stored);
    if (copy instanceof Misfit) throw new Error(copy.why);
    const paths = pathsIn(stored).filter((path) => !/variables|value/.test(path.join('.')));

    for (const path of paths) {
      const part = path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), copy);
      const before = path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), stored);
      expect(Object.isFrozen(part), path.join('.')).toBe(true);
      if (Object(before) === before) expect(Object.isFrozen(before), path.join('.')).toBe(false);
    }
    expect(copy.variables).toBe(stored.variables);
  });
});

it('a state that has been read is not read again', () => {
  const state = readState({ formatVersion: 1, cases: [EVERYTHING] });

  expect(readState(state)).toBe(state);
  expect(Object.isFrozen(state)).toBe(true);
  expect(Object.isFrozen(state.cases)).toBe(true);
});
