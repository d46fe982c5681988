// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { compile } from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, problemsOf, startCase } from '../../../../helpers/cmmn/cmmn.ts';

const FITS = 'é'.repeat(127);
const TOO_LONG = 'é'.repeat(128);

const aListener = (signalRef: string): string =>
  `<planItem id="pL" name="L" definitionRef="L"/><eventListener id="L" flowable:eventType="signal" flowable:signalRef="${signalRef}"/>`;

describe('what a host builds keys from', () => {
  it.each([
    ['a signal', aListener(TOO_LONG), 'SIGNAL_REF_TOO_LONG', 'L'],
    ['an assignee', aTask('A', '', `flowable:assignee="${TOO_LONG}"`), 'ASSIGNMENT_TOO_LONG', 'A'],
    ['an owner', aTask('A', '', `flowable:owner="${TOO_LONG}"`), 'ASSIGNMENT_TOO_LONG', 'A'],
    [
      'a candidate',
      aTask('A', '', `flowable:candidateUsers="anna,${TOO_LONG}"`),
      'ASSIGNMENT_TOO_LONG',
      'A',
    ],
    [
      'a group',
      aTask('A', '', `flowable:candidateGroups="${TOO_LONG}"`),
      'ASSIGNMENT_TOO_LONG',
      'A',
    ],
  ])('is refused in a model when it has more than 255 bytes: %s', async (_, inner, code, id) => {
    const refused = await compile(aModel(aTask('Z') + inner));
    const accepted = await compile(aModel(aTask('Z') + inner.replace(TOO_LONG, FITS)));

    expect(problemsOf(refused, code)).toMatchObject([{ severity: 'ERROR', elementId: id }]);
    expect(accepted.isValid).toBe(true);
  });

  it('is refused in a model when it is an id of more than 255 characters', async () => {
    const model = (id: string): string =>
      aModel(`<planItem id="${id}" definitionRef="A"/><humanTask id="A" name="A"/>`);

    expect(problemsOf(await compile(model('i'.repeat(256))), 'ID_INVALID')).toHaveLength(1);
    expect((await compile(model('i'.repeat(255)))).isValid).toBe(true);
  });

  it.each([
    ['a signal', aListener('${name}'), 'pL'],
    ['an assignee', aTask('A', '', 'flowable:assignee="${name}"'), 'piA'],
    ['an owner', aTask('A', '', 'flowable:owner="${name}"'), 'piA'],
    ['a candidate', aTask('A', '', 'flowable:candidateUsers="anna,${name}"'), 'piA'],
    ['a group', aTask('A', '', 'flowable:candidateGroups="${name}"'), 'piA'],
  ])(
    'refuses the command when an expression gives more than 255 bytes: %s',
    async (_, inner, elementId) => {
      const model = aModel(aTask('Z') + inner);

      await expect(startCase(model, { variables: { name: TOO_LONG } })).rejects.toMatchObject({
        code: 'EXPRESSION_ERROR',
        details: { elementId, expression: '${name}' },
      });
      expect((await startCase(model, { variables: { name: FITS } })).state).toBe('active');
    },
  );

  it('refuses commands that bring more than 255 bytes', async () => {
    const running = await startCase(aModel(aTask('A') + aTask('B')));
    const tasks = (assignee: string) => ({ [running.id('A')]: { assignee } });

    expect(running.refusal({ type: 'signal', name: TOO_LONG }).code).toBe('COMMAND_INVALID');
    expect(running.refusal({ type: 'evaluate', tasks: tasks(TOO_LONG) }).code).toBe(
      'COMMAND_INVALID',
    );
    for (const name of ['caseInstanceId', 'tenantId'] as const) {
      await expect(startCase(aModel(aTask('A')), { [name]: TOO_LONG })).rejects.toMatchObject({
        code: 'COMMAND_INVALID',
      });
      await expect(startCase(aModel(aTask('A')), { [name]: FITS })).resolves.toBeDefined();
    }
    running.give({ type: 'signal', name: FITS }).give({ type: 'evaluate', tasks: tasks(FITS) });
  });
});
