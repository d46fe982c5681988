import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { GivenCommand } from '../../../../functions/workflow/cases/case-commands.ts';
import type { Command } from '../../../../functions/workflow/domain/cmmn/index.ts';
import { aCaseWorld, aUser, type CaseWorld } from '../../../helpers/cases/case-world.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';

const ann = aUser('ann');
const IN = ['a', 'b', 'c'].map((name) => `<flowable:in source="${name}" target="${name}"/>`);
const MODEL = aModel(`${aTask('One')}
<planItem id="piWork" definitionRef="Work"><entryCriterion id="go" sentryRef="gone"/></planItem>
<task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post"><extensionElements>${IN.join('')}</extensionElements></task>
<userEventListener id="Go"/><planItem id="piGo" definitionRef="Go"/>${aSentry('gone', 'piGo', 'occur')}`);
const MINUTE = 60_000;

const give = (world: CaseWorld, id: string, command: Command | GivenCommand['command']) =>
  world.commands.give({
    ...{ caseInstanceId: id, principal: ann },
    command: typeof command === 'function' ? command : () => command,
  });

/** Three of these do not fit an item. */
const aText = () => randomBytes(190_000).toString('base64');

const set = (world: CaseWorld, id: string, name: string, text = aText()) =>
  give(world, id, { type: 'setVariables', variables: { [name]: text } });

/** A case whose state lies in the bucket. */
async function aLargeCase() {
  const world = await aCaseWorld([MODEL]);
  const { caseInstanceId: id } = await world.starter.start({ workflowCode: 'theCase' }, ann);
  for (const name of ['a', 'b', 'c']) await set(world, id, name);
  return { world, id };
}

/** Another world in which everything is as it is in the first one. */
async function copyOf({ db, storage }: CaseWorld): Promise<CaseWorld> {
  const world = await aCaseWorld([MODEL]);
  world.db.load(db.items());
  for (const [path, bytes] of storage.files) world.storage.files.set(path, bytes);
  for (let at = 0; at < 1_000; at += 1) world.context.ids();
  return world;
}

const go = (world: CaseWorld, id: string) =>
  give(world, id, ({ state }) => {
    const listener = state.cases[0]?.planItems.find(({ planItemId }) => planItemId === 'piGo');
    return { type: 'trigger', planItemInstanceId: listener?.id ?? '' };
  });

const clientOf = ({ db }: Pick<CaseWorld, 'db'>) =>
  db.client as unknown as { send: (...given: unknown[]) => Promise<unknown> };

/** Stops the process before its n-th call from now on, of the table or the bucket, until it `goOn`es. */
function stopAt({ db, storage }: CaseWorld, nth: number) {
  const calls: string[] = [];
  const client = clientOf({ db });
  const { put, delete: remove } = storage;
  const send = client.send.bind(client);
  const stopped = Promise.withResolvers<'stopped'>();
  const call = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    calls.push(name);
    if (calls.length < nth) return work();
    stopped.resolve('stopped');
    return new Promise<never>(() => undefined);
  };
  client.send = (command, ...more) =>
    call(String((command as object).constructor.name), () => send(command, ...more));
  Object.assign(storage, {
    put: (...given: Parameters<typeof put>) => call('put object', () => put(...given)),
    delete: (...given: Parameters<typeof remove>) => call('delete object', () => remove(...given)),
  });
  const goOn = () => {
    client.send = send;
    Object.assign(storage, { put, delete: remove });
  };
  return { calls, stopped: stopped.promise, goOn };
}

const stored = ({ storage }: CaseWorld) => [...storage.files.keys()].sort();

/** Objects that items name. */
const named = ({ db }: CaseWorld) =>
  db
    .items()
    .flatMap(({ object }) => (typeof object === 'string' ? [object] : []))
    .sort();

const notes = (world: CaseWorld) => world.items('CASEOBJECT');

describe('objects of cases whose process ends between two lines', () => {
  it.each([
    ['a state is replaced', async () => undefined, set, 7],
    ['external work begins', async () => undefined, go, 9],
    [
      'a case ends with its work',
      go,
      (world: CaseWorld, id: string) => give(world, id, { type: 'terminate' }),
      9,
    ],
  ])('are all named by items after the sweep: %s', async (_, prepare, command, atLeast) => {
    const prepared = await aLargeCase();
    const { id } = prepared;
    await prepare(prepared.world, id);
    let points = 0;
    for (let nth = 1; ; nth += 1) {
      const world = await copyOf(prepared.world);
      const stop = stopAt(world, nth);

      const outcome = await Promise.race([command(world, id, 'a'), stop.stopped]);
      stop.goOn();
      world.context.machineClock.advance(6 * MINUTE);
      await world.objects.sweep();

      const where = `stopped before ${stop.calls.at(-1)} in ${stop.calls}`;
      expect(stored(world), where).toEqual(named(world));
      expect(notes(world), where).toEqual([]);
      expect((await world.families.load(id))?.state, where).toBeDefined();
      if (outcome !== 'stopped') break;
      points += 1;
    }
    expect(points).toBeGreaterThanOrEqual(atLeast);
  });

  it('stay while the command may still commit', async () => {
    const { world, id } = await aLargeCase();
    const [before] = [stored(world)];
    const stop = stopAt(world, 4);
    await Promise.race([set(world, id, 'a'), stop.stopped]);
    stop.goOn();
    const during = stored(world);
    world.context.machineClock.advance(4 * MINUTE);

    const swept = await world.objects.sweep();

    expect(swept).toBe(0);
    expect(during).toHaveLength(before.length + 1);
    expect(stored(world)).toEqual(during);
  });

  it('are kept when the transaction has happened and its answer was lost', async () => {
    const { world, id } = await aLargeCase();
    const text = aText();
    const client = clientOf(world);
    const send = client.send.bind(client);
    client.send = async (command, ...more) => {
      const answer = await send(command, ...more);
      if ((command as object).constructor.name === 'QueryCommand') return answer;
      if (!JSON.stringify((command as { input: unknown }).input).includes('LIVE#STATE')) {
        return answer;
      }
      client.send = send;
      throw new Error('socket hang up');
    };

    await expect(set(world, id, 'a', text)).rejects.toThrow('socket hang up');
    world.context.machineClock.advance(6 * MINUTE);
    await world.objects.sweep();

    const family = await world.families.load(id);
    expect(family?.state.cases[0]?.variables.a).toBe(text);
    expect(stored(world)).toEqual(named(world));
  });

  it('are deleted at once when the command fails', async () => {
    const { world, id } = await aLargeCase();
    const before = stored(world);
    const revive = world.db.before('TransactWriteItems', () => {
      throw new Error('no');
    });

    await expect(set(world, id, 'a')).rejects.toThrow('no');
    revive();

    expect(stored(world)).toEqual(before);
    expect(notes(world)).toEqual([]);
  });
});
