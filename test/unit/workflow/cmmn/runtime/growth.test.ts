import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type {
  CaseDefinition,
  Command,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { BenchCase, loadModel } from '../../../../bench/cmmn/cmmn-side.ts';
import { sentriesModel } from '../../../../bench/cmmn/sentries-model.ts';
import { aModel, aSentry, aTask, compiled, TestCase } from '../../../../helpers/cmmn/cmmn.ts';
import { countSteps } from '../../../../helpers/cmmn/count-steps.ts';

const SIZE = 200;
const TWICE = 2.3;

/** Milestones of which each waits for the one before, and a task that stays open beside them. */
const milestones = (count: number, sentry: (index: number) => string): string =>
  aModel(
    '<planItem id="open" definitionRef="A"/><humanTask id="A"/><milestone id="M"/><planItem id="i0" definitionRef="M"/>' +
      Array.from(
        { length: count - 1 },
        (_, n) =>
          `<planItem id="i${n + 1}" definitionRef="M"><entryCriterion id="e${n}" sentryRef="s${n}"/></planItem>${sentry(n)}`,
      ).join(''),
  );

const afterOneBefore = (n: number): string => aSentry(`s${n}`, `i${n}`, 'occur');

/** Waits for the first milestone too, which has been reached long before. */
const afterTwoBefore = (n: number): string =>
  `<sentry id="s${n}"><planItemOnPart id="a${n}" sourceRef="i0"><standardEvent>occur</standardEvent></planItemOnPart><planItemOnPart id="b${n}" sourceRef="i${n}"><standardEvent>occur</standardEvent></planItemOnPart></sentry>`;

/** Tasks that are open, each with an exit criterion, beside the milestones. */
const besideTasks = (count: number): string =>
  milestones(count, afterOneBefore).replace(
    '<milestone id="M"/>',
    `<milestone id="M"/><planItem id="end" definitionRef="E"/><userEventListener id="E"/>${aSentry('x', 'end', 'occur')}${Array.from(
      { length: count },
      (_, n) =>
        `<planItem id="t${n}" definitionRef="A"><exitCriterion id="x${n}" sentryRef="x"/></planItem>`,
    ).join('')}`,
  );

/** Milestones in a row, in a stage that a person completes. */
const inAStage = (count: number): string =>
  milestones(count, afterOneBefore)
    .replace('<planItem id="open"', '<planItem id="S" definitionRef="T"/><stage id="T">$&')
    .replace('</casePlanModel>', '</stage></casePlanModel>')
    .replace('<planItem id="open" definitionRef="A"/>', '');

/** Stages in a row, each of which completes by itself. */
const stagesInARow = (count: number): string =>
  aModel(
    Array.from({ length: count }, (_, n) => {
      const stage = `<stage id="t${n}" autoComplete="true"><planItem id="j${n}" definitionRef="m${n}"/><milestone id="m${n}"/></stage>`;
      if (n === 0) return `<planItem id="i0" definitionRef="t0"/>${stage}`;
      return `<planItem id="i${n}" definitionRef="t${n}"><entryCriterion id="e${n}" sentryRef="s${n}"/></planItem>${stage}${aSentry(`s${n}`, `i${n - 1}`)}`;
    }).join(''),
    { attributes: 'autoComplete="true"' },
  );

async function stepsOfStart(xml: string): Promise<number> {
  const model = await loadModel(xml);
  return countSteps(() => new BenchCase(model, 'memory').start());
}

async function stepsOfOpening(count: number): Promise<number> {
  const bench = new BenchCase(await loadModel(sentriesModel(count)), 'memory');
  bench.start();
  const [first = ''] = bench.openTasks();
  const steps = await countSteps(() => bench.completeTask(first));
  expect(bench.openTasks()).toHaveLength(count);
  return steps;
}

/** Steps of completing one of so many open tasks. */
async function stepsOfOneTask(count: number): Promise<number> {
  const bench = new BenchCase(await loadModel(sentriesModel(count)), 'memory');
  bench.start();
  bench.work(1);
  const [first = ''] = bench.openTasks();
  return countSteps(() => bench.completeTask(first));
}

const over = (collection: string): string =>
  `<itemControl><repetitionRule flowable:collectionVariable="${collection}" flowable:elementVariable="e"/></itemControl>`;
const stagesOfTasks = aModel(
  `<planItem id="pS" name="S" definitionRef="S">${over('stages')}</planItem><stage id="S"><planItem id="pA" name="A" definitionRef="A">${over('tasks')}</planItem><humanTask id="A" name="A"/></stage>`,
);

/** Steps of one command over so many stages of a hundred tasks each. */
async function stepsOverStages(
  definitions: readonly CaseDefinition[],
  stages: number,
  type: 'start' | 'suspend' | 'terminate',
): Promise<number> {
  const elements = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  const running = new TestCase(definitions);
  const variables = { stages: elements(stages), tasks: elements(100) };
  const start = (): unknown => running.give({ type: 'start', definitionKey: 'theCase', variables });
  if (type === 'start') return countSteps(start);
  start();
  expect(running.world.state?.cases[0]?.planItems).toHaveLength(stages * 101);
  return countSteps(() => running.give({ type }));
}

const casesThatStartOthers = [
  aModel(
    `<planItem id="pC" name="C" definitionRef="C">${over('list')}</planItem><caseTask id="C" caseRef="child"/>${aTask('Last')}`,
    { key: 'parent' },
  ),
  aModel(
    `${aTask('A')}<planItem id="pG" definitionRef="G"/><eventListener id="G" flowable:eventType="signal" flowable:signalRef="go"/>${aSentry('s', 'pG', 'occur')}<exitCriterion id="x" sentryRef="s"/>`,
    { key: 'child' },
  ),
];

/** What ties the cases of a family, and finds them. */
const TIES = /runtime\/run\/(?:family|run)\.ts/;

/** Steps along the ties of a family of so many cases, in one command. */
async function stepsInFamily(children: number, command: Command): Promise<number> {
  const running = new TestCase(await compiled(...casesThatStartOthers));
  const list = Array.from({ length: children }, (_, n) => n);
  running.give({ type: 'start', definitionKey: 'parent', variables: { list } });
  expect(running.world.state?.cases).toHaveLength(children + 1);
  return countSteps(() => running.give(command), TIES);
}

describe('twice the size takes at most 2.3 times the steps', () => {
  beforeAll(async () => {
    await countSteps(() => stepsOfStart(milestones(2, afterOneBefore)));
  });

  it.each([
    ['a chain of milestones', (count: number) => milestones(count, afterOneBefore)],
    [
      'a chain of milestones with two on-parts',
      (count: number) => milestones(count, afterTwoBefore),
    ],
    ['a chain of milestones beside open tasks', besideTasks],
    ['a chain of milestones in a stage that a person completes', inAStage],
    ['stages in a row that complete by themselves', stagesInARow],
  ])('for %s within one command', async (_, make) => {
    const steps = await stepsOfStart(make(SIZE));

    expect(await stepsOfStart(make(2 * SIZE))).toBeLessThanOrEqual(TWICE * steps);
  });

  it.each([
    ['opens tasks for each element of each stage', 'start'],
    ['suspends them all', 'suspend'],
    ['terminates them all', 'terminate'],
  ] as const)('for a command that %s', async (_, type) => {
    const definitions = await compiled(stagesOfTasks);
    const steps = await stepsOverStages(definitions, 5, type);

    expect(await stepsOverStages(definitions, 10, type)).toBeLessThanOrEqual(TWICE * steps);
  });

  it.each<readonly [Command]>([
    [{ type: 'signal', name: 'go' }],
    [{ type: 'suspend' }],
    [{ type: 'terminate' }],
    [{ type: 'evaluate' }],
  ])('from case to case for %o', async (command) => {
    const steps = await stepsInFamily(50, command);

    expect(await stepsInFamily(100, command)).toBeLessThanOrEqual(TWICE * steps);
  });

  it('for a command that opens all tasks', async () => {
    const steps = await stepsOfOpening(SIZE);

    expect(await stepsOfOpening(2 * SIZE)).toBeLessThanOrEqual(TWICE * steps);
  });

  it('for a command that completes one of the open tasks', async () => {
    const steps = await stepsOfOneTask(SIZE);

    expect(await stepsOfOneTask(2 * SIZE)).toBeLessThanOrEqual(TWICE * steps);
  });
});

it('a state that the same process has left is not proved again', async () => {
  const stepsOfProof = async (count: number, keeping: 'memory' | 'json'): Promise<number> => {
    const bench = new BenchCase(await loadModel(sentriesModel(count)), keeping);
    bench.start();
    bench.work(1);
    return countSteps(() => bench.give({ type: 'evaluate' }), /run\/(?:prove-case|family)\.ts/);
  };

  const steps = await stepsOfProof(SIZE, 'memory');

  expect(await stepsOfProof(2 * SIZE, 'memory')).toBe(steps);
  expect(await stepsOfProof(SIZE, 'json')).toBeGreaterThan(steps + SIZE);
});

it('the last completions of a long run take as many steps as the first', async () => {
  const repeat = new URL('../../../../fixtures/cmmn/bench/repeat.cmmn', import.meta.url);
  const bench = new BenchCase(await loadModel(await readFile(repeat, 'utf8')), 'json');
  bench.start();
  bench.work(100);

  const first = await countSteps(() => bench.work(100));
  bench.work(700);
  const last = await countSteps(() => bench.work(100));

  expect(last).toBeLessThanOrEqual(1.05 * first);
});
