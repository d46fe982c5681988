import { beforeAll, describe, expect, it } from 'vitest';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

describe('a range within an equality of an index over several fields', () => {
  const LOANS = `${RECORDS}/loans`;
  const text = { type: 'string' };
  const states = ['open', 'Open', 'closed', 'wip', 'done'];
  interface Loan {
    readonly state: string;
    readonly branch: string;
    readonly due?: string;
    readonly amount: number;
    readonly name: string;
  }

  async function loans() {
    const api = anEntitiesApi();
    await api.define({
      ...{ code: 'loan', name: 'Loan', apiPath: 'loans' },
      uiSchemaJson: {
        type: 'object',
        'x-indexes': [
          ['state', 'due'],
          ['state', 'branch', 'amount'],
        ],
        properties: {
          ...{ state: text, branch: text, name: text, amount: { type: 'integer' } },
          due: { type: 'string', format: 'date' },
        },
      },
    });
    const bodies = Array.from({ length: 4_000 }, (_, at) => ({
      state: states[at % 5] ?? '',
      branch: `Đà ${(at * 31) % 4}`,
      ...(at % 9 && { due: `2026-0${1 + ((at * 7) % 9)}-11` }),
      amount: (at * 37) % 1_009,
      name: `loan ${(at * 7_919) % 4_001}`,
    }));
    const ids = await loadRecords(api.context, 'loan', bodies);
    return { api, records: bodies.map((body, at) => ({ ...body, id: ids[at] ?? '' })) };
  }

  let world: Awaited<ReturnType<typeof loans>>;
  beforeAll(async () => {
    world = await loans();
  }, 60_000);

  const isOpen = ({ state }: Loan) => state === 'open';
  it.each<[string, (loan: Loan) => boolean]>([
    ['state=open&due[gte]=2026-06-01', (loan) => isOpen(loan) && (loan.due ?? '') >= '2026-06'],
    ['state=open&due[null]=true', (loan) => isOpen(loan) && loan.due === undefined],
    ['state=open&due[exists]=true', (loan) => isOpen(loan) && loan.due !== undefined],
    [
      'state=open&due[lt]=2026-04-01&amount[lt]=500',
      (loan) => isOpen(loan) && (loan.due ?? '9') < '2026-04' && loan.amount < 500,
    ],
    [
      'state=open&branch=Đà 2&amount[between]=100,400',
      (loan) => isOpen(loan) && loan.branch === 'Đà 2' && loan.amount >= 100 && loan.amount <= 400,
    ],
    ['state=open&branch[startsWith]=Đà', isOpen],
    ['state=open&branch[eqi]=da 3', (loan) => isOpen(loan) && loan.branch === 'Đà 3'],
    ['state=open&branch[contains]=1', (loan) => isOpen(loan) && loan.branch === 'Đà 1'],
  ])('finds what looking at every record finds: %s', async (query, fits) => {
    const wanted = world.records
      .filter(fits)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ id }) => id);

    const seen: unknown[] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const after = cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : '';
      const page = await world.api.get(`${LOANS}?${query}&sort=name&size=30&count=none${after}`);
      expect(page.status, page.text).toBe(200);
      seen.push(...contentOf(page).map(({ id }) => id));
      cursor = page.body.nextCursor;
    }

    expect(seen).toEqual(wanted);
  });
});
