import { describe, expect, it } from 'vitest';
import { parseEnvelope } from '../../../../../shared/messaging/wire/envelope.ts';
import { runInContext } from '../../../../../shared/primitives/request-context.ts';
import { aContext } from '../../../../helpers/world/a-context.ts';

const anItem = { pk: 'p', sk: 'a', type: 'thing' };

describe('a notice without an outbox', () => {
  it('puts an envelope on the bus at once when no unit of work is open', async () => {
    const { events, bus } = aContext({ svc: { 'mq.enabled': false, 'mq.app-code': 'shop' } });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

    const result = await runInContext({ traceId: 'call-1', traceparent }, () =>
      events.publish('iam-config-refresh', 'A1', { total: 5 }, { tenant: 'acme' }),
    );

    expect(result).toEqual({ messageId: '00000000-0000-7000-8000-000000000001', status: 'SENT' });
    expect(bus.events).toEqual([
      {
        bus: 'svc-cloud-bus',
        source: 'svc.shop',
        type: 'iam-config-refresh',
        envelope: {
          specversion: '1.0',
          id: result.messageId,
          source: '/svc/shop',
          type: 'iam-config-refresh',
          subject: 'A1',
          time: '2026-03-01T09:30:00.000Z',
          datacontenttype: 'application/json',
          traceparent,
          traceid: 'call-1',
          svcheaders: { tenant: 'acme' },
          data: { total: 5 },
        },
      },
    ]);
  });

  it('waits for the commit of the unit of work around it', async () => {
    const { events, bus, unitOfWork } = aContext({ svc: { 'mq.enabled': false } });

    const result = await unitOfWork(async (unit) => {
      unit.put(anItem);
      const published = await events.publish('iam-config-refresh', null, {});
      expect(bus.events).toEqual([]);
      return published;
    });

    expect(result.status).toBe('PENDING');
    expect(bus.events.map(({ envelope }) => envelope.id)).toEqual([result.messageId]);
  });

  it('puts nothing on the bus when the commit fails', async () => {
    const { events, bus, unitOfWork, db } = aContext({ svc: { 'mq.enabled': false } });
    db.failNext('network');

    const work = unitOfWork(async (unit) => {
      unit.put(anItem);
      await events.publish('iam-config-refresh', null, {});
    });

    await expect(work).rejects.toThrow();
    expect(bus.events).toEqual([]);
  });

  it('puts one message on the bus when the unit ran twice', async () => {
    const { events, bus, unitOfWork, db } = aContext({ svc: { 'mq.enabled': false } });
    db.failNext('conflict');

    await unitOfWork(async (unit) => {
      unit.put(anItem);
      await events.publish('iam-config-refresh', null, {});
    });

    expect(bus.events).toHaveLength(1);
  });

  it.each(['down', 'refusing'] as const)(
    'fails nothing when the bus is %s, and says so',
    async (mode) => {
      const { events, bus, log } = aContext({ svc: { 'mq.enabled': false } });
      bus.mode = mode;

      const { status } = await events.publish('iam-config-refresh', 'A1', { card: '4111' });

      expect(status).toBe('PENDING');
      expect(log.lines).toMatchObject([{ level: 'error', topic: 'iam-config-refresh' }]);
      expect(log.text()).not.toContain('4111');
    },
  );
});

describe('parseEnvelope', () => {
  const envelope = {
    specversion: '1.0',
    id: '1',
    source: '/svc/a',
    type: 'iam-config-refresh',
    time: '2026-03-01T09:30:00.000Z',
    datacontenttype: 'application/json',
    data: null,
  };

  it('reads an envelope, with attributes it does not know', () => {
    expect(parseEnvelope({ ...envelope, dataschema: 'x' })).toMatchObject(envelope);
  });

  it.each([
    undefined,
    null,
    'text',
    [],
    {},
    { ...envelope, specversion: '0.3' },
    { ...envelope, id: '' },
    { ...envelope, type: undefined },
    { ...envelope, datacontenttype: 'text/xml' },
    { ...envelope, subject: 7 },
    { ...envelope, svcheaders: { a: 1 } },
  ])('refuses %o', (value) => {
    expect(parseEnvelope(value)).toBeUndefined();
  });
});
