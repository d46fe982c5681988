// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { compile } from '../../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, problemsOf, startCase } from '../../../../../helpers/cmmn/cmmn.ts';

const documented = (documentation: string): string =>
  aModel(
    `<planItem id="piA" name="A" definitionRef="A"/><humanTask id="A" name="A"><documentation>${documentation}</documentation></humanTask>`,
  );

describe('the documentation of a human task', () => {
  it.each([
    ['Call ${customer} back', 'Call Ann back'],
    ['Call back', 'Call back'],
  ])('%j describes the task as %j', async (documentation, description) => {
    const { world } = await startCase(documented(documentation), {
      variables: { customer: 'Ann' },
    });

    const [created] = world.effects.filter((effect) => effect.type === 'taskCreated');
    expect(created?.task.description).toBe(description);
  });

  it('is checked when the model is', async () => {
    const result = await compile(documented('Call ${a +}'));

    expect(problemsOf(result, 'EXPRESSION_SYNTAX')).toMatchObject([{ elementId: 'A' }]);
  });
});
