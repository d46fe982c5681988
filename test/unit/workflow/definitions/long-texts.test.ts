// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  compileProcess,
  type ProcessCompilation,
} from '../../../../functions/workflow/domain/bpmn/compile/compile-process.ts';
import { compile } from '../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, problemsOf, startCase } from '../../../helpers/cmmn/cmmn.ts';
import { bpmnXml, chain, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { Played } from '../bpmn/process-world.ts';

const text = (length: number): string => 'x'.repeat(length);
const names = (count: number): string => Array.from({ length: count }, (_, at) => `g${at}`).join();
const place = '<planItem id="pi" definitionRef="A"/>';
const aProcess = (element: string): string =>
  bpmnXml(`<startEvent id="s"/>${element}${chain('s', 'u')}`);
const documented = (length: number): string => `<documentation>${text(length)}</documentation>`;

describe('texts of a case model that become part of what is stored', () => {
  it.each([
    [
      'documentation',
      'A',
      4_000,
      (n: number) => `${place}<humanTask id="A" name="A">${documented(n)}</humanTask>`,
    ],
    ['name of a task', 'A', 4_000, (n: number) => `${place}<humanTask id="A" name="${text(n)}"/>`],
    [
      'name of a plan item',
      'pi',
      4_000,
      (n: number) =>
        `<planItem id="pi" name="${text(n)}" definitionRef="A"/><humanTask id="A" name="A"/>`,
    ],
    [
      'name of a milestone',
      'A',
      4_000,
      (n: number) => `${place}<milestone id="A" name="${text(n)}"/>`,
    ],
  ])('have a limit: %s', async (_, elementId, limit, inner) => {
    const [fits, refused] = [
      await compile(aModel(inner(limit))),
      await compile(aModel(inner(limit + 1))),
    ];

    expect(fits.isValid).toBe(true);
    expect(refused.isValid).toBe(false);
    expect(problemsOf(refused, 'TEXT_TOO_LONG')).toMatchObject([{ elementId }]);
  });

  it('have a limit: candidates of a task', async () => {
    const of = (count: number) =>
      compile(aModel(aTask('A', '', `flowable:candidateGroups="${names(count)}"`)));

    expect((await of(1_000)).isValid).toBe(true);
    expect(problemsOf(await of(1_001), 'ASSIGNMENT_TOO_LONG')).toMatchObject([{ elementId: 'A' }]);
  });

  it('have a limit also where an expression gives them: candidates of a task', async () => {
    const model = aModel(aTask('A', '', 'flowable:candidateGroups="${groups}"'));

    await expect(startCase(model, { variables: { groups: names(1_001) } })).rejects.toMatchObject({
      code: 'EXPRESSION_ERROR',
    });
  });
});

describe('texts of a process model that become part of what is stored', () => {
  const told = ({ problems }: ProcessCompilation) =>
    problems.map(({ code, elementId }) => `${code} ${elementId}`);

  it.each([
    [
      'documentation',
      (n: number) => `<userTask id="u" name="u" flowable:assignee="a">${documented(n)}</userTask>`,
    ],
    [
      'name of a user task',
      (n: number) => `<userTask id="u" name="${text(n)}" flowable:assignee="a"/>`,
    ],
    ['name of an event', (n: number) => `<endEvent id="u" name="${text(n)}"/>`],
    [
      'name of a sub-process',
      (n: number) => `<subProcess id="u" name="${text(n)}"><startEvent id="v"/></subProcess>`,
    ],
  ])('have a limit: %s', async (_, element) => {
    const [fits, refused] = [
      await compileProcess(aProcess(element(4_000))),
      await compileProcess(aProcess(element(4_001))),
    ];

    expect(told(fits)).toEqual([]);
    expect(told(refused)).toEqual(['TEXT_TOO_LONG u']);
  });

  it('have a limit: name of the process', async () => {
    const xml = aProcess(userTask('u')).replace('Process order', text(4_001));

    expect(told(await compileProcess(xml))).toEqual(['TEXT_TOO_LONG order']);
  });

  it('have a limit: candidates of a task', async () => {
    const xml = aProcess(userTask('u', `flowable:candidateGroups="${names(1_001)}"`));

    expect(told(await compileProcess(xml))).toContain('ASSIGNMENT_TOO_LONG u');
  });

  it('have a limit also where an expression gives them: candidates of a task', async () => {
    const xml = aProcess(userTask('u', 'flowable:candidateGroups="${groups}"'));

    await expect(Played.start(xml, { groups: names(1_001) })).rejects.toMatchObject({
      code: 'EXPRESSION_ERROR',
    });
  });
});
