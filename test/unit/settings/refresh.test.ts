import { describe, expect, it } from 'vitest';
import { createSettingsModule } from '../../../functions/settings/index.ts';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { aContext, connect } from '../../helpers/world/a-context.ts';
import { aSettingsApi, type SettingsApi } from './settings-api.ts';

const epochOf = ({ context }: SettingsApi) =>
  context.db.items().find(({ sk }) => sk === 'epoch')?.epoch ?? 0;

/** A refresh notice as another application puts it on the bus. */
const aNotice = (more: Partial<MessageEnvelope> = {}): MessageEnvelope => ({
  specversion: '1.0',
  id: 'foreign-1',
  source: '/svc/other-app',
  type: 'iam-config-refresh',
  time: '2026-03-01T09:30:00.000Z',
  datacontenttype: 'application/json',
  data: { key: 'mail.from' },
  ...more,
});

describe('POST /api/v1/setting/refresh', () => {
  it.each(['mail.from', '__REFRESH_ALL__'])('refreshes %s: one step, one notice', async (key) => {
    const api = aSettingsApi({ svc: { 'mq.app-code': 'shop' } });

    const answer = await api.post('/refresh', { key }, { headers: { 'x-trace-id': 'call-1' } });

    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ key, epoch: 1 });
    expect(epochOf(api)).toBe(1);
    expect(api.context.bus.events).toMatchObject([
      {
        bus: 'svc-cloud-bus',
        source: 'svc.shop',
        type: 'iam-config-refresh',
        envelope: {
          specversion: '1.0',
          source: '/svc/shop',
          type: 'iam-config-refresh',
          subject: key,
          traceid: 'call-1',
          time: '2026-03-01T09:30:00.000Z',
          data: { key, epoch: 1 },
        },
      },
    ]);
  });

  it.each([
    ['no key', {}],
    ['an empty key', { key: '' }],
    ['another marker', { key: '__ALL__' }],
    ['a list', { key: ['a'] }],
    ['a further field', { key: 'a', epoch: 1 }],
    ['a list as body', []],
  ])('refuses %s', async (_what, body) => {
    const api = aSettingsApi();

    const answer = await api.post('/refresh', body);

    expect(answer.status).toBe(400);
    expect(epochOf(api)).toBe(0);
  });

  it('asks for setting:edit', async () => {
    const api = aSettingsApi();

    const answer = await api.post(
      '/refresh',
      { key: 'a' },
      { caller: { sub: 'x', permissions: ['setting:view'] } },
    );

    expect(answer.status).toBe(403);
  });

  it('answers a repeated call with an Idempotency-Key once', async () => {
    const api = aSettingsApi();
    const more = { headers: { 'idempotency-key': 'k-1' } };

    const [first, second] = [
      await api.post('/refresh', { key: 'a' }, more),
      await api.post('/refresh', { key: 'a' }, more),
    ];

    expect(second.body).toEqual(first.body);
    expect(second.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(epochOf(api)).toBe(1);
    expect(api.context.bus.events).toHaveLength(1);
  });

  it('counts every one of twenty refreshes at once', async () => {
    const api = aSettingsApi();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.post('/refresh', { key: `key.${i}` })),
    );

    const taken = answers.filter(({ status }) => status === 202);
    expect(epochOf(api)).toBe(taken.length);
    expect(new Set(taken.map(({ body }) => body.epoch)).size).toBe(taken.length);
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
  });
});

describe('every change of a setting', () => {
  it('is one step of the epoch and one notice', async () => {
    const api = aSettingsApi();

    await api.save();
    await api.save({ value: 'two' });
    await api.post('/mail.from/rollback', { version: 1 });
    await api.remove('mail.from');

    expect(epochOf(api)).toBe(4);
    expect(api.context.bus.events.map(({ envelope }) => envelope.data)).toEqual(
      [1, 2, 3, 4].map((epoch) => ({ key: 'mail.from', epoch })),
    );
  });

  it('is no step and no notice when it is refused', async () => {
    const api = aSettingsApi();
    await api.save();

    await api.save({ value: 'x', version: 7 });
    await api.save({ value: null });
    await api.remove('none');

    expect(epochOf(api)).toBe(1);
    expect(api.context.bus.events).toHaveLength(1);
  });

  it.each(['down', 'refusing'] as const)('is kept when the bus is %s', async (mode) => {
    const api = aSettingsApi();
    api.context.bus.mode = mode;

    const answer = await api.save();

    expect(answer.status).toBe(201);
    expect(epochOf(api)).toBe(1);
    expect(api.context.log.named('A message could not be sent after its commit')).toMatchObject([
      { level: 'warn', topic: 'iam-config-refresh' },
    ]);
  });
});

describe('the refresh listener', () => {
  it('raises the epoch for a notice of another application, and publishes nothing', async () => {
    const api = aSettingsApi();

    const failed = await api.deliver(aNotice());

    expect(failed).toEqual([]);
    expect(epochOf(api)).toBe(1);
    expect(api.context.bus.events).toEqual([]);
  });

  it('raises it once for each messageId, however often and at once it is delivered', async () => {
    const api = aSettingsApi();

    await Promise.all([1, 2, 3].map(() => api.deliver(aNotice(), aNotice())));
    await api.deliver(aNotice({ id: 'foreign-2' }));

    expect(epochOf(api)).toBe(2);
  });

  it('does nothing for our own notices, so that none goes round', async () => {
    const api = aSettingsApi();
    await api.save();
    const own = api.context.bus.events.map(({ envelope }) => envelope);

    const failed = await api.deliver(...own);

    expect(failed).toEqual([]);
    expect(epochOf(api)).toBe(1);
    expect(api.context.bus.events).toHaveLength(1);
  });

  it('takes a notice under our source without an epoch for a foreign one', async () => {
    const api = aSettingsApi({ svc: { 'mq.app-code': 'shop' } });

    await api.deliver(aNotice({ source: '/svc/shop' }));

    expect(epochOf(api)).toBe(1);
  });

  it.each([
    ['no payload', null],
    ['no key', {}],
    ['a number as key', { key: 5 }],
    ['an empty key', { key: '' }],
    ['a key without end', { key: 'x'.repeat(256) }],
    ['a text', 'mail.from'],
  ])('drops a notice with %s', async (_what, data) => {
    const api = aSettingsApi();

    const failed = await api.deliver(aNotice({ data }));

    expect(failed).toEqual([]);
    expect(epochOf(api)).toBe(0);
    expect(api.context.log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  it('leaves a message in the queue when the table fails, and takes it later', async () => {
    const api = aSettingsApi();
    await api.context.refreshScope.atInvocationStart();
    api.context.db.failNext('network', { times: Number.POSITIVE_INFINITY });

    const failed = await api.deliver(aNotice());
    api.context.db.stopFailing();

    expect(failed).toEqual(['queue-0']);
    expect(await api.deliver(aNotice())).toEqual([]);
    expect(epochOf(api)).toBe(1);
  });

  it('leaves what is no message of the bus to the dead-letter queue, and takes the rest', async () => {
    const api = aSettingsApi();
    const broken = aNotice({ specversion: '0.9' as '1.0' });

    const failed = await api.deliver(broken, aNotice());

    expect(failed).toEqual(['queue-0']);
    expect(epochOf(api)).toBe(1);
  });
});

describe('three warm environments', () => {
  function threeEnvironments() {
    const first = aContext();
    const contexts = [first, aContext({ besides: first }), aContext({ besides: first })];
    return contexts.map((context) => {
      const module = createSettingsModule(context);
      const connected = connect(() => module, context);
      /** What code in the environment reads, at the start of an invocation. */
      const read = async () => {
        await context.refreshScope.atInvocationStart();
        return module.services.settingService.getValue('mail.from');
      };
      const save = (value: string) =>
        connected.call({
          method: 'POST',
          path: '/api/v1/setting/save',
          body: { name: 'mail.from', value },
        });
      return { ...connected, context, read, save };
    });
  }

  it('see a new value within the staleness, without any notice', async () => {
    const environments = threeEnvironments();
    const [first] = environments;
    await first?.save('one');
    await Promise.all(environments.map(({ read }) => read()));
    await first?.save('two');

    const at = async (ms: number) => {
      first?.context.clock.advance(ms);
      return Promise.all(environments.map(({ read }) => read()));
    };

    expect(await at(0)).toEqual(['two', 'one', 'one']);
    expect(await at(9_999)).toEqual(['two', 'one', 'one']);
    expect(await at(1)).toEqual(['two', 'two', 'two']);
  });

  it('see it at once where the notice arrives', async () => {
    const environments = threeEnvironments();
    const [first, second] = environments;
    await first?.save('one');
    await Promise.all(environments.map(({ read }) => read()));
    await first?.save('two');

    await second?.deliver(...(first?.context.bus.events.map(({ envelope }) => envelope) ?? []));

    expect(await second?.read()).toBe('two');
  });

  it('keep their values while the table fails, and say so', async () => {
    const environments = threeEnvironments();
    const [first, second] = environments;
    await first?.save('one');
    await second?.read();
    await first?.save('two');
    first?.context.db.failNext('network', { times: Number.POSITIVE_INFINITY });
    first?.context.clock.advance(10_000);

    const during = await second?.read();
    first?.context.db.stopFailing();
    first?.context.clock.advance(10_000);

    expect(during).toBe('one');
    expect(second?.context.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', code: 'CONFIG_REFRESH_UNAVAILABLE' }),
    );
    expect(await second?.read()).toBe('two');
  });

  it('forget a deleted setting', async () => {
    const environments = threeEnvironments();
    const [first, second] = environments;
    await first?.save('one');
    await second?.read();

    await first?.call({ method: 'DELETE', path: '/api/v1/setting/mail.from' });
    first?.context.clock.advance(10_000);

    expect(await second?.read()).toBeUndefined();
  });
});
