import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type CaseDefinition,
  compile,
  rolesOf,
  viewPlanItems,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, compiled, startCase, TestCase } from '../../../../helpers/cmmn/cmmn.ts';

const GENERATED = new URL('../../../../fixtures/cmmn/generated/models/', import.meta.url);

describe('a compiled model', () => {
  it('is JSON and works after a round trip', async () => {
    const xml = readFileSync(new URL('claimCase51x282.cmmn', GENERATED), 'utf8');
    const part = readFileSync(new URL('claimCase51x282Part.cmmn', GENERATED), 'utf8');
    const definitions = await compiled(xml, part);

    const copies = JSON.parse(JSON.stringify(definitions)) as CaseDefinition[];
    const running = new TestCase(copies).give({
      type: 'start',
      definitionKey: 'claimCase51x282',
      variables: { approved: false, ready: false, score: 1, owner: 'ann', urgent: false },
    });

    expect(copies).toEqual(definitions);
    expect(running.states['Check invoice no. 1']).toEqual(['active']);
  });

  it('gives ids to elements that have none, the same ones every time', async () => {
    const model = aModel(
      '<planItem definitionRef="A"><entryCriterion sentryRef="s"/></planItem><sentry id="s"><ifPart><condition>true</condition></ifPart></sentry><humanTask id="A" name="A"/>',
    );

    const [first] = (await compile(model)).cases;
    const [second] = (await compile(model)).cases;

    expect(first).toEqual(second);
    expect(first?.planModel.planItems[0]?.id).toBe('A-item');
  });

  it('knows which roles the groups of a person mean', async () => {
    const [definition] = await compiled(
      aModel(aTask('A'), {
        around: '<caseRoles><role id="r1" name="Manager"/><role id="r2"/></caseRoles>',
      }),
    );

    expect(definition && rolesOf(definition, ['Manager', 'staff'])).toEqual(['r1']);
    expect(definition && rolesOf(definition, ['r1', 'r2'])).toEqual(['r1', 'r2']);
  });
});

describe('the view of plan items', () => {
  it('says what can be done with each of them', async () => {
    const manual = '<itemControl><manualActivationRule/></itemControl>';
    const model = aModel(
      `${aTask('Open')}${aTask('Manual', manual)}<planItem id="pl" name="Go" definitionRef="L"/><userEventListener id="L"/>`,
    );
    const running = await startCase(model);
    const [definition] = await compiled(model);
    const actions = (): Record<string, readonly string[]> =>
      Object.fromEntries(
        (definition ? viewPlanItems(running.world.root.instance, definition) : []).map((view) => [
          view.instance.name,
          view.allowedCommands,
        ]),
      );

    expect(actions()).toEqual({
      Open: ['completeTask', 'trigger', 'suspendPlanItem', 'terminatePlanItem'],
      Manual: ['startPlanItem', 'disable', 'suspendPlanItem', 'terminatePlanItem'],
      Go: ['trigger', 'suspendPlanItem', 'terminatePlanItem'],
    });
    running.give({ type: 'suspend' });

    expect(actions()).toEqual({ Open: [], Manual: [], Go: [] });
  });
});
