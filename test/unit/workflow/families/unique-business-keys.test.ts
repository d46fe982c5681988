import { describe, expect, it } from 'vitest';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const ann = aUser('ann');
const many = (count: number) => Array.from({ length: count }, (_, at) => at);
const CHILD = aModel(aTask('Inner'), { key: 'child' });

/** A case that calls others in a way. */
const parent = (control: string, attributes: string, more: string) =>
  aModel(
    `${aTask('Stay')}<planItem id="piSub" definitionRef="Sub"><itemControl>${control}</itemControl></planItem>
<caseTask id="Sub" name="Sub" caseRef="child" ${attributes}/>${more}`,
  );

const aWorld = (control: string, attributes: string, more = '') =>
  aCaseWorld([parent(control, attributes, more), CHILD], {
    deployment: { uniqueBusinessKey: true },
  });

const start = ({ starter }: CaseWorld, variables = {}, businessKey?: string) =>
  starter.start({ workflowCode: 'theCase', businessKey, variables }, ann);

const claims = ({ items }: CaseWorld) => items('CASEIDX##UNIQUE#child');

async function innerTaskOf({ families }: CaseWorld, id: string): Promise<string> {
  const family = await families.load(id);
  const items = family?.state.cases.at(-1)?.planItems ?? [];
  return items.find(({ task, state }) => task && state === 'active')?.id ?? '';
}

describe('a unique business key', () => {
  const EACH =
    '<repetitionRule flowable:collectionVariable="all" flowable:elementVariable="each"/>';

  it('passes from a called case to the next one that the same command starts', async () => {
    const again = `<repetitionRule><condition>\${true}</condition></repetitionRule>`;
    const world = await aWorld(again, 'flowable:inheritBusinessKey="true"');
    const { caseInstanceId } = await start(world, {}, 'K');
    const [first] = claims(world);
    const planItemInstanceId = await innerTaskOf(world, caseInstanceId);

    await world.commands.give({
      ...{ caseInstanceId, principal: ann },
      command: () => ({ type: 'completeTask', planItemInstanceId }),
    });

    const [next, ...others] = claims(world);
    const open = (await world.families.load(caseInstanceId))?.state.cases.at(-1)?.id;
    expect(others).toEqual([]);
    expect(next?.caseInstanceId).toBe(open);
    expect(next?.caseInstanceId).not.toBe(first?.caseInstanceId);
    expect(
      await world.actions.act(caseInstanceId, 'terminate', {}, ann).then(() => claims(world)),
    ).toEqual([]);
  });

  it('is refused to the second of two cases that one command starts', async () => {
    const world = await aWorld(EACH, 'flowable:inheritBusinessKey="true"');

    const refused = start(world, { all: [1, 2] }, 'K');

    await expect(refused).rejects.toMatchObject({ code: 'CASE_EXISTS', status: 409 });
    expect(world.db.items()).toEqual([]);
  });

  it('of each of more cases than a transaction has writes is free when they end together', async () => {
    const more = `<planItem id="piMore" definitionRef="More"><itemControl>${EACH}</itemControl>
<entryCriterion id="go" sentryRef="gone"/></planItem>
<caseTask id="More" name="More" caseRef="child" flowable:businessKey="\${'M'.concat(each)}"/>
<userEventListener id="Go"/><planItem id="piGo" definitionRef="Go"/>${aSentry('gone', 'piGo', 'occur')}`;
    const world = await aWorld(EACH, `flowable:businessKey="\${'K'.concat(each)}"`, more);
    const { caseInstanceId } = await start(world, { all: many(60) });
    await world.planItems.give({ action: 'trigger', caseInstanceId, key: 'Go' }, ann);
    const held = claims(world).length;

    await world.actions.act(caseInstanceId, 'terminate', {}, ann);

    expect(held).toBe(120);
    expect(claims(world)).toEqual([]);
  });

  it('is refused while a case of a version without the rule is open', async () => {
    const world = workflowWorld();
    const deploy = (uniqueBusinessKey: boolean, task: string) =>
      world.post('/deployments', {
        workflowCode: 'loan',
        xml: caseXml({ task }),
        uniqueBusinessKey,
      });
    const begin = (businessKey: string) =>
      world.post('/cases', { workflowCode: 'loan', businessKey });
    await deploy(false, 'Old');
    const { body: old } = await begin('K');
    await deploy(true, 'New');

    const refused = await begin('K');
    const other = await begin('L');
    await world.post(`/cases/${old.caseInstanceId}:terminate`);
    const free = await begin('K');

    expect([refused.status, refused.body.code]).toEqual([409, 'CASE_EXISTS']);
    expect([other.status, free.status]).toEqual([201, 201]);
  });
});
