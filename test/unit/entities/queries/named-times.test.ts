import { describe, expect, it } from 'vitest';
import { startOfDay } from '../../../../functions/entities/domain/values/calendar.ts';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import type { ContextOptions } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, contentOf, type EntitiesApi, RECORDS } from '../entities-api.ts';

const TASKS = `${RECORDS}/chore`;
const task = {
  ...{ code: 'chore', name: 'Chore', apiPath: 'chores', requirePermission: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      due: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      holidays: { type: 'array', items: { type: 'string', format: 'date' } },
      of: { type: 'string', 'x-reference': { entity: 'chore' } },
    },
  },
};

async function tasksAt(now: string, zone: string | undefined, options: ContextOptions = {}) {
  const svc = zone === undefined ? {} : { dynamic: { enabled: true, 'zone-id': zone } };
  const api = anEntitiesApi({ ...options, svc });
  api.context.clock.advance(Date.parse(now) - api.context.clock.now());
  const defined = await api.define(task);
  expect(defined.status, defined.text).toBe(201);
  return api;
}

async function store(api: EntitiesApi, tasks: Readonly<Record<string, object>>): Promise<void> {
  for (const [name, values] of Object.entries(tasks)) {
    const made = await api.post(TASKS, { name, ...values });
    expect(made.status, made.text).toBe(201);
  }
}

async function names(api: EntitiesApi, query: string): Promise<string> {
  const answer = await api.get(`${TASKS}?sort=name&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return contentOf(answer)
    .map(({ name }) => name)
    .join(' ');
}

const group = (filter: unknown): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`;

describe('today in filters of dates', () => {
  it.each([
    ['2026-03-01T16:59:59.999Z', 'Asia/Ho_Chi_Minh', '2026-03-01'],
    ['2026-03-01T17:00:00.000Z', 'Asia/Ho_Chi_Minh', '2026-03-02'],
    ['2026-03-01T23:59:59.999Z', undefined, '2026-03-01'],
    ['2026-03-02T00:00:00.000Z', undefined, '2026-03-02'],
    ['2026-03-02T04:59:59.999Z', 'America/New_York', '2026-03-01'],
    ['2026-03-02T05:00:00.000Z', 'America/New_York', '2026-03-02'],
    ['2026-12-31T17:00:00.000Z', 'Asia/Ho_Chi_Minh', '2027-01-01'],
  ])('is at %s in %s the day %s', async (now, zone, today) => {
    const api = await tasksAt(now, zone);
    await store(api, { there: { due: today } });
    expect(await names(api, 'due=today')).toBe('there');
    expect(await names(api, 'due[lt]=today')).toBe('');
    expect(await names(api, 'due[gte]=today')).toBe('there');
    expect((await api.get(`${TASKS}/count?due=today`)).body).toEqual({ count: 1, relation: 'eq' });
    expect((await api.get(`${TASKS}/export?format=json&due=today`)).body).toHaveLength(1);
    expect((await api.get(`${TASKS}/aggregate?due=today`)).body).toMatchObject({ count: 1 });
    expect((await api.get(`${TASKS}/facets?fields=name&due=today`)).body).toMatchObject({
      name: [{ value: 'there', count: 1 }],
    });
  });

  it.each([
    ['due=today-7d', 'week'],
    ['due=today-1w', 'week'],
    ['due=today-1mo', 'month'],
    ['due=today-1y', 'year'],
    ['due=today%2B1d', 'tomorrow'],
    ['due=today+1d', 'tomorrow'],
    ['due=today,today-7d', 'today week'],
    ['due[in]=today&due[in]=2026-03-24', 'today week'],
    ['due[ne]=today', 'month none tomorrow week year'],
    ['due[nin]=today,today-7d', 'month none tomorrow year'],
    ['due[between]=today-7d,today', 'today week'],
    ['due[gt]=today', 'tomorrow'],
    ['due[lte]=today-1mo', 'month year'],
    ['holidays=today', 'year'],
    ['of.due=today', 'month'],
    [group({ or: [{ due: 'today' }, { due: { gt: 'today' } }] }), 'today tomorrow'],
    [group({ not: { due: { in: ['today', 'today-7d', 'today+1d'] } } }), 'month none year'],
    [group({ of: null, due: { between: ['today-1w', 'today'] } }), 'today week'],
  ])('%s finds %s', async (query, found) => {
    const api = await tasksAt('2026-03-31T12:00:00Z', 'Asia/Ho_Chi_Minh');
    await store(api, {
      none: {},
      today: { due: '2026-03-31' },
      tomorrow: { due: '2026-04-01' },
      week: { due: '2026-03-24' },
      year: { due: '2025-03-31', holidays: ['2026-01-01', '2026-03-31'] },
    });
    const [today] = contentOf(await api.get(`${TASKS}?name=today`));
    await store(api, { month: { due: '2026-02-28', of: today?.id } });
    expect(await names(api, query)).toBe(found);
  });
});

describe('today and now in filters of instants', () => {
  const instants = {
    a: { at: '2026-03-01T16:59:59.999Z' },
    b: { at: '2026-03-01T17:00:00Z' },
    c: { at: '2026-03-02T09:30:00+07:00' },
    d: { at: '2026-03-02T16:59:59.999Z' },
    e: { at: '2026-03-02T17:00:00Z' },
  };
  it.each([
    ['at=today', 'b c d'],
    ['at[ne]=today', 'a e'],
    ['at[in]=today', 'b c d'],
    ['at=today-1d', 'a'],
    ['at[gt]=today', 'e'],
    ['at[gte]=today', 'b c d e'],
    ['at[lt]=today', 'a'],
    ['at[lte]=today', 'a b c d'],
    ['at[between]=today-1d,today', 'a b c d'],
    ['at=now', 'c'],
    ['at[gte]=now', 'c d e'],
    ['at[gt]=now', 'd e'],
    ['at[gte]=now-9h', 'c d e'],
    ['at[gte]=now-570min', 'b c d e'],
    ['at[gt]=now-570min', 'c d e'],
    ['at[lt]=now+1d', 'a b c d e'],
    ['at[between]=now-1w,now', 'a b c'],
    ['createdAt=today', 'a b c d e'],
    ['createdAt[gt]=now-1min', 'a b c d e'],
    ['updatedAt[lt]=today', ''],
    [group({ at: { gte: 'today', lt: 'now' } }), 'b'],
  ])('%s finds %s', async (query, found) => {
    const api = await tasksAt('2026-03-02T02:30:00Z', 'Asia/Ho_Chi_Minh');
    await store(api, instants);
    expect(await names(api, query)).toBe(found);
  });

  it('takes days as long as the zone makes them', async () => {
    // 25 hours, as the clocks are put back at 02:00.
    const api = await tasksAt('2026-11-01T12:00:00Z', 'America/New_York');
    await store(api, {
      before: { at: '2026-11-01T03:59:59.999Z' },
      first: { at: '2026-11-01T04:00:00Z' },
      last: { at: '2026-11-02T04:59:59.999Z' },
      behind: { at: '2026-11-02T05:00:00Z' },
    });
    expect(await names(api, 'at=today')).toBe('first last');
  });

  it.each([
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2026-03-01', 'Pacific/Kiritimati', '2026-02-28T10:00:00.000Z'],
    ['2026-03-01', 'Pacific/Pago_Pago', '2026-03-01T11:00:00.000Z'],
  ])('begins the day %s in %s at %s', (day, zone, start) => {
    expect(new Date(startOfDay(day, zone)).toISOString()).toBe(start);
  });
});

describe('named times that are none', () => {
  it.each([
    ['due=now', 'due'],
    ['due[gte]=now-1d', 'due[gte]'],
    ['due=today-1h', 'due'],
    ['due=tomorrow', 'due'],
    ['due=today-', 'due'],
    ['due=today-12345d', 'due'],
    ['due=TODAY', 'due'],
    ['due=today%2B9999y', 'due'],
    ['due=today-9999y', 'due'],
    ['at=now-1mo', 'at'],
    ['at=today-2h', 'at'],
    ['at=today%2B9999y', 'at'],
    ['at[startsWith]=today', 'at[startsWith]'],
    ['due[between]=today', 'due[between]'],
    [group({ due: { gt: 'now' } }), 'filter'],
  ])('%s names %s', async (query, parameter) => {
    const api = await tasksAt('2026-03-01T12:00:00Z', undefined);
    const answer = await api.get(`${TASKS}?${query}`);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_PARAMETER', errors: [{ parameter }] });
  });

  it('stays a text in a field of texts', async () => {
    const api = await tasksAt('2026-03-01T12:00:00Z', undefined);
    await store(api, { today: {}, '2026-03-01': {} });
    expect(await names(api, 'name=today')).toBe('today');
  });
});

describe('today beyond a query', () => {
  it('narrows the rows of a grant, which is the same the next day', async () => {
    const decision: PermissionDecision = { allowed: true, rowFilter: { due: { lte: 'today' } } };
    const narrowed = { host: { permissionEvaluator: { hasPermission: () => decision } } };
    const open = await tasksAt('2026-03-01T23:59:00Z', undefined);
    await store(open, { past: { due: '2026-02-01' }, tomorrow: { due: '2026-03-02' } });
    const caller = anEntitiesApi({ ...narrowed, besides: open.context });
    expect(await names(caller, '')).toBe('past');
    open.context.clock.advance(60_000);
    expect(await names(caller, '')).toBe('past tomorrow');
  });
});
