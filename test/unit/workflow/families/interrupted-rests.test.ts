import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';

const ann = aUser('ann');
const ALL = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const many = (count: number) => Array.from({ length: count }, (_, at) => at);
const restsOf = ({ items }: CaseWorld) => items('CASEREST');

/** Ends the process at the n-th transaction from now on. */
function dieAt({ db }: CaseWorld, nth: number): () => void {
  let seen = 0;
  return db.before('TransactWriteItems', () => {
    seen += 1;
    if (seen >= nth) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  });
}

describe('a command that offers work with documents', () => {
  const model = aModel(`${aTask('One')}<planItem id="piWork" definitionRef="Work">${ALL}</planItem>
<task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post">
<extensionElements><flowable:in source="document" target="document"/></extensionElements></task>`);

  it.each([
    [6, 180_000],
    [60, 14_000],
  ])('stores %i of %i random bytes each, and takes the next command', async (count, bytes) => {
    const world = await aCaseWorld([model]);
    const variables = { all: many(count), document: randomBytes(bytes).toString('base64') };

    const { caseInstanceId } = await world.starter.start(
      { workflowCode: 'theCase', variables },
      ann,
    );
    const next = await world.actions.setVariables(caseInstanceId, { more: 1 }, ann);

    expect(world.db.items().filter(({ type }) => type === 'external_work')).toHaveLength(count);
    expect(restsOf(world)).toEqual([]);
    expect(next.version).toBe(2);
  });
});

describe('a case whose start is interrupted before its rest', () => {
  it('is found by its business key and state', async () => {
    const world = await aCaseWorld([aModel(aTask('Each', ALL, 'flowable:candidateGroups="a,b"'))]);
    const revive = dieAt(world, 2);
    const variables = { all: many(60) };
    const wanted = { workflowCode: 'theCase', businessKey: 'K', variables };
    const { caseInstanceId } = await world.starter.start(wanted, ann);
    revive();

    const byKey = await world.list.page({ tenantCode: '', businessKey: 'K' }, { size: 2 });
    const byState = await world.list.page({ tenantCode: '', states: ['active'] }, { size: 2 });

    expect(restsOf(world)).toHaveLength(1);
    expect(byKey.content).toMatchObject([{ caseInstanceId }]);
    expect(byState.content).toMatchObject([{ caseInstanceId }]);
  });
});

describe('a rest that cannot be written', () => {
  it('keeps the sweep from none of the others', async () => {
    const world = await aCaseWorld([aModel(aTask('Each', ALL, 'flowable:candidateGroups="a,b"'))]);
    const variables = { all: many(60) };
    const ids: string[] = [];
    for (const _ of many(3)) {
      const revive = dieAt(world, 2);
      const started = await world.starter.start({ workflowCode: 'theCase', variables }, ann);
      revive();
      ids.push(started.caseInstanceId);
    }
    const bodies = world.db.items().filter(({ sk }) => String(sk).startsWith('REST#'));
    await world.context.unitOfWork(async (unit) => {
      for (const { pk, sk } of bodies.slice(0, 2)) {
        unit.put({ pk: String(pk), sk: String(sk), json: 'torn' });
      }
    });

    world.context.machineClock.advance(61_000);
    const swept = await world.rests.sweep();

    expect(swept).toBe(1);
    expect(restsOf(world).map(({ familyId }) => familyId)).toEqual(ids.slice(0, 2));
    expect(world.context.log.named('What is left of a command could not be written')).toHaveLength(
      2,
    );
  });
});

describe('a case for which nobody waits, started by a command with a rest', () => {
  const PARENT = aModel(
    `${aTask('Stay')}<planItem id="piSub" definitionRef="Sub"/><caseTask id="Sub" name="Sub" isBlocking="false" caseRef="child">
<extensionElements><flowable:in source="all" target="all"/></extensionElements></caseTask>`,
  );
  const CHILD = aModel(
    `${aTask('Each', ALL, 'flowable:candidateGroups="a,b"')}
<planItem id="piNews" definitionRef="News"/><eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>
<planItem id="piTimer" definitionRef="Timer"/><timerEventListener id="Timer"><timerExpression>PT1H</timerExpression></timerEventListener>`,
    { key: 'child' },
  );
  const start = (world: CaseWorld) =>
    world.starter.start({ workflowCode: 'theCase', variables: { all: many(80) } }, ann);
  const childOf = ({ db }: CaseWorld, parentId: string) =>
    db
      .items()
      .filter(({ sk }) => sk === 'LIVE#HEAD')
      .map(({ pk }) => String(pk).slice('CASE#'.length))
      .find((id) => id !== parentId);

  it.each(many(6).map((at) => at + 2))(
    'and killed before transaction %i: what ends it ends everything of it',
    async (nth) => {
      const world = await aCaseWorld([PARENT, CHILD]);
      const revive = dieAt(world, nth);
      const { caseInstanceId } = await start(world);
      revive();
      const childId = childOf(world, caseInstanceId);
      const end = async (id: string) => {
        await world.actions.act(id, 'terminate', {}, ann).catch(() => undefined);
      };
      if (childId) await end(childId);

      world.context.machineClock.advance(61_000);
      await world.rests.sweep();
      await end(childOf(world, caseInstanceId) ?? '');

      const head = world.items(`CASE#${childOf(world, caseInstanceId)} / LIVE#HEAD`)[0];
      const open = world.db
        .items()
        .filter(
          ({ type, status, taskDefinitionKey }) =>
            type === 'task' && taskDefinitionKey === 'Each' && status !== 'CANCELLED',
        );
      expect(head).toMatchObject({ head: { state: 'terminated' } });
      expect(open).toEqual([]);
      expect(world.items('SIGNAL#')).toEqual([]);
      expect(world.items('CASEIDX##STATE#active')).toHaveLength(1);
      expect(world.items('CASEIDX##STATE#terminated')).toHaveLength(1);
    },
  );
});
