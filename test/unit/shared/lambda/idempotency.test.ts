import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../../shared/http/reply.ts';
import { type IdempotentCall, runIdempotent } from '../../../../shared/lambda/idempotency.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const aCall = (more: Partial<IdempotentCall> = {}): IdempotentCall => ({
  module: 'settings',
  key: 'key-1',
  callerId: 'demo',
  operationId: 'saveSetting',
  body: '{}',
  ...more,
});

function aRun() {
  const context = aContext();
  let works = 0;
  const work =
    (reply: Partial<Reply> = {}) =>
    async (): Promise<Reply> => {
      works += 1;
      return { status: 201, body: { work: works }, headers: { etag: '"1"' }, ...reply };
    };
  const run = (call = aCall(), what = work()) => runIdempotent(call, what, context);
  return { context, run, work, works: () => works };
}

const HOUR_MS = 3_600_000;

describe('runIdempotent', () => {
  it('gives the stored answer to a repeated call and says so', async () => {
    const { run, works } = aRun();

    const [first, second] = [await run(), await run()];

    expect(first.headers).toEqual({ etag: '"1"' });
    expect(second).toEqual({
      ...first,
      headers: { etag: '"1"', 'idempotency-replayed': 'true' },
    });
    expect(works()).toBe(1);
  });

  it('keeps what the answer says instead of it, and makes the next answer of that', async () => {
    const { context } = aRun();
    const work = async (): Promise<Reply> => ({ status: 201, body: 'secret', kept: { id: 7 } });
    const replay = async (kept: unknown): Promise<Reply> => ({ status: 201, body: kept });

    const first = await runIdempotent(aCall(), work, context, replay);
    const again = await runIdempotent(aCall(), work, context, replay);

    expect(first.body).toBe('secret');
    expect(again).toMatchObject({ body: { id: 7 }, headers: { 'idempotency-replayed': 'true' } });
    expect(JSON.stringify(context.db.items())).not.toContain('secret');
  });

  it('lets one of five calls at once work and gives its answer to the others', async () => {
    const { run, context } = aRun();

    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => run()));

    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(context.db.items()).toHaveLength(1);
  });

  it('keeps the same subject of two issuers apart', async () => {
    const { run, works } = aRun();
    await run(aCall({ issuer: 'https://one.example.com' }));

    const other = await run(aCall({ issuer: 'https://two.example.com' }));
    const again = await run(aCall({ issuer: 'https://one.example.com' }));

    expect([other.body, again.body]).toEqual([{ work: 2 }, { work: 1 }]);
    expect(works()).toBe(2);
  });

  it('refuses the key with another body', async () => {
    const { run } = aRun();
    await run();

    await expect(run(aCall({ body: '{"a":1}' }))).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      status: 422,
    });
  });

  it.each([
    ['key', { key: 'key-2' }],
    ['caller', { callerId: 'mai' }],
    ['issuer', { issuer: 'https://other.example.com' }],
    ['tenant', { tenant: 'north' }],
    ['route', { operationId: 'refreshSettings' }],
  ])('takes the same with another %s for another call', async (_what, more) => {
    const { run, works } = aRun();
    await run();

    await run(aCall(more));

    expect(works()).toBe(2);
  });

  it('does not mix up caller and key that read the same in a row', async () => {
    const { run, works } = aRun();
    await run(aCall({ callerId: 'a', key: 'b c' }));

    await run(aCall({ callerId: 'a b', key: 'c' }));

    expect(works()).toBe(2);
  });

  it('leaves nothing of a call that failed, so that it may be repeated', async () => {
    const { run, context, works } = aRun();
    const fail = () => Promise.reject(new Error('no'));
    await expect(run(aCall(), fail)).rejects.toThrow('no');

    const reply = await run();

    expect(reply.headers).not.toHaveProperty('idempotency-replayed');
    expect([works(), context.db.items().length]).toEqual([1, 1]);
  });

  it('gives back any number and any depth', async () => {
    const { run, work } = aRun();
    const body = {
      numbers: [1e300, 5e-324, 2 ** 60],
      deep: JSON.parse('['.repeat(60) + ']'.repeat(60)),
    };

    await run(aCall(), work({ body }));

    expect((await run()).body).toEqual(body);
  });

  it('refuses an answer that is too large to be kept, and does nothing', async () => {
    const { run, context, work } = aRun();

    await expect(run(aCall(), work({ body: 'ă'.repeat(200_000) }))).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      status: 413,
    });
    expect(context.db.items()).toHaveLength(0);
  });

  it.each([
    ['an answer', { body: 'ă'.repeat(200_000) }],
    ['bytes', { body: Buffer.alloc(300_000) }],
    ['what is kept instead of the answer', { kept: 'x'.repeat(400_000) }],
  ])('says of %s that it is too large, how large it may be and what to do', async (_, reply) => {
    const { run, context, work } = aRun();

    await expect(run(aCall(), work(reply))).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      detail: expect.stringMatching(
        /kept for the Idempotency-Key with 4\d{5} bytes, at most 390000 can be.*call without/,
      ),
      extensions: { maxBytes: 390_000 },
    });
    expect(context.db.items()).toHaveLength(0);
  });

  it('remembers for 24 hours', async () => {
    const { run, context, works } = aRun();
    await run();

    context.clock.advance(24 * HOUR_MS - 1_000);
    await run();
    context.clock.advance(1_000);
    const afterwards = await run();

    expect(works()).toBe(2);
    expect(afterwards.headers).not.toHaveProperty('idempotency-replayed');
  });

  it('gives bytes back as bytes', async () => {
    const { run, work } = aRun();
    const bytes = { body: Buffer.from([0, 255, 10]), headers: { 'content-type': 'image/png' } };

    const [first, second] = [await run(aCall(), work(bytes)), await run()];

    expect(second.body).toEqual(first.body);
    expect(second.headers).toMatchObject(bytes.headers);
  });

  it('stores answers without a body', async () => {
    const { run, work } = aRun();

    await run(aCall(), work({ status: 204, body: undefined, headers: undefined }));
    const second = await run();

    expect(second).toEqual({ status: 204, headers: { 'idempotency-replayed': 'true' } });
  });

  it('stores no key in clear text', async () => {
    const { run, context } = aRun();

    await run(aCall({ key: 'customer-4711', callerId: 'mai' }));

    expect(JSON.stringify(context.db.items())).not.toMatch(/4711|mai/);
  });
});
