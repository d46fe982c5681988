// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { aModel, aSentry, startCase } from '../../../../helpers/cmmn/cmmn.ts';

const COUNT = 2_000;

/** Items in a row, each entered by what happens to the one before. */
const inARow = (
  make: (index: number, criterion: string) => string,
  sentry: (index: number) => string,
): string =>
  aModel(
    Array.from({ length: COUNT }, (_, n) =>
      n === 0 ? make(n, '') : make(n, `<entryCriterion id="e${n}" sentryRef="s${n}"/>`) + sentry(n),
    ).join(''),
    { attributes: 'autoComplete="true"' },
  );

const item = (index: number, definition: string, criterion: string): string =>
  `<planItem id="i${index}" definitionRef="${definition}">${criterion}</planItem>`;

describe('one command', () => {
  it.each([
    [
      'milestones that wait for each other',
      inARow(
        (n, criterion) => `${item(n, `m${n}`, criterion)}<milestone id="m${n}"/>`,
        (n) => aSentry(`s${n}`, `i${n - 1}`, 'occur'),
      ),
    ],
    [
      'stages that complete one after the other',
      inARow(
        (n, criterion) =>
          `${item(n, `t${n}`, criterion)}<stage id="t${n}" autoComplete="true"><planItem id="j${n}" definitionRef="m${n}"/><milestone id="m${n}"/></stage>`,
        (n) => aSentry(`s${n}`, `i${n - 1}`),
      ),
    ],
  ])('reaches %s, 2000 of them', async (_, model) => {
    const { state, world } = await startCase(model);

    expect(state).toBe('completed');
    expect(world.root.milestones).toHaveLength(COUNT);
  });

  it('does not let the limits grow with cases that it opens without end', async () => {
    const model = aModel(
      '<planItem id="pi" definitionRef="C"><itemControl><repetitionRule/></itemControl></planItem><caseTask id="C" isBlocking="false" caseRef="other"/>',
    );
    const other = aModel('<planItem id="po" definitionRef="M"/><milestone id="M"/>', {
      key: 'other',
      attributes: 'autoComplete="true"',
    });

    await expect(startCase([model, other])).rejects.toMatchObject({ code: 'ENGINE_LOOP' });
  });

  it('refuses expressions that take too long together', async () => {
    const condition = `\${${'1+'.repeat(1_900)}1 == 0}`;
    const count = 100;
    const indexes = Array.from({ length: count }, (_, index) => index);
    const waiting = indexes.map((n) => item(n, 'A', `<entryCriterion id="e${n}" sentryRef="s"/>`));
    const milestones = indexes.map(
      (n) =>
        `${item(count + n, `m${n}`, `<entryCriterion id="f${n}" sentryRef="t${n}"/>`)}<milestone id="m${n}"/>${aSentry(`t${n}`, `i${n === 0 ? 0 : count + n - 1}`, n === 0 ? 'create' : 'occur')}`,
    );
    const model = aModel(
      `${waiting.join('')}${milestones.join('')}<humanTask id="A" name="A"/>${aSentry('s', undefined, '', condition)}`,
    );

    await expect(startCase(model)).rejects.toMatchObject({
      code: 'ENGINE_LOOP',
      message: expect.stringContaining('steps of expressions'),
    });
  });
});
