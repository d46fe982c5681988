import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import { apart } from '../../../../shared/store/unit-of-work.ts';
import { contentOf, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, type InterruptibleApi } from './interrupted.ts';

const NOTES = `${RECORDS}/note`;

/** A note with a history. */
async function withNote() {
  const api = anInterruptibleApi();
  const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
  await api.define({ code: 'note', name: 'Note', options: { history: true }, uiSchemaJson });
  const id = String((await api.post(NOTES, { name: 'a' })).body.id);
  return { ...api, id, path: `${NOTES}/${id}` };
}

/** The process ends after the transaction that changes the trash. @returns how to go on */
function dieAfterTrash({ context }: InterruptibleApi): () => void {
  let isDead = false;
  const operations = ['GetItem', 'Query', 'BatchGetItem', 'BatchWriteItem', 'TransactWriteItems'];
  const hooks = operations.map((operation) =>
    context.db.before(operation, ({ input }) => {
      if (isDead) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      isDead = JSON.stringify(input).includes('"DYN_TRASH#') && 'TransactItems' in input;
    }),
  );
  return () => {
    for (const takeOff of hooks) takeOff();
  };
}

describe('the history of a purged record', () => {
  it('is erased although one of two sweeps is killed that purge it at once', async () => {
    const api = await withNote();
    const { remove, runTask, settle, items, context, path } = api;
    const reviveCall = dieAfterTrash(api);
    await remove(`${path}?purge=true`);
    reviveCall();
    context.clock.advance(400_000);
    let isOther = true;
    const stop = context.db.before('Query', async ({ input }) => {
      if (!JSON.stringify(input).includes('DYN_RECORD#note')) return;
      stop();
      const revive = dieAfterTrash(api);
      await apart(() => runTask(SWEEP_TASK)).catch(() => undefined);
      revive();
      isOther = items('DYN_RECORD#note').length > 0;
    });

    await runTask(SWEEP_TASK);
    await settle();

    expect(isOther).toBe(false);
    expect(items('DYN_HISTORY#note')).toEqual([]);
    expect(items('DYN_OPEN_WORK')).toEqual([]);
  });

  it('is erased without that of a later record of the same id', async () => {
    const { remove, post, get, context, id, path } = await withNote();
    await remove(path);
    let created = 0;
    const stop = context.db.before('Query', async ({ input }) => {
      if (!JSON.stringify(input).includes('DYN_HISTORY#note')) return;
      stop();
      context.clock.advance(5);
      created = (await apart(() => post(NOTES, { id, name: 'again' }))).status;
    });

    const purged = await remove(`${path}?purge=true`);
    const history = contentOf(await get(`${path}/history`));

    expect([purged.status, created]).toEqual([204, 201]);
    expect(history).toMatchObject([{ action: 'CREATED', version: 1 }]);
  });
});
