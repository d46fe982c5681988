import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aCasesApi, CASES } from './cases-api.ts';

type Api = Awaited<ReturnType<typeof aCasesApi>>;

/** Cases of two workflows, a minute apart: every third is terminated. */
async function someCases(count: number) {
  const api = await aCasesApi([
    aModel(aTask('One')),
    aModel(aTask('Two'), { key: 'other' })
      .replaceAll('id="Two"', 'id="Two2"')
      .replaceAll('"Two"', '"Two2"'),
  ]);
  for (let at = 0; at < count; at += 1) {
    const id = await api.start({
      workflowCode: at % 2 === 0 ? 'theCase' : 'other',
      businessKey: `B-${at % 4}`,
      ...(at % 5 === 0 && { entityType: 'loan', entityId: '7#8' }),
    });
    if (at % 3 === 0) await api.post(`${CASES}/${id}:terminate`);
    api.context.machineClock.advance(60_000);
  }
  return api;
}

const keysOf = async ({ get }: Pick<Api, 'get'>, query: string) => {
  const { body } = await get(`${CASES}?${query}`);
  return (body.content as { startedAt: string }[]).map(({ startedAt }) => startedAt.slice(14, 16));
};

describe('GET /workflow/cmmn/cases', () => {
  it.each([
    ['', ['41', '40', '39', '38', '37', '36', '35', '34', '33', '32', '31', '30']],
    ['state=terminated', ['39', '36', '33', '30']],
    ['state=terminated&state=suspended', ['39', '36', '33', '30']],
    ['workflowCode=other', ['41', '39', '37', '35', '33', '31']],
    ['workflowCode=other&state=active', ['41', '37', '35', '31']],
    ['businessKey=B-1', ['39', '35', '31']],
    ['businessKey=B-1&state=active', ['35', '31']],
    ['entityType=loan&entityId=7%238', ['40', '35', '30']],
    ['startedBy=demo&startedAfter=2026-03-01T09:39:00.000Z', ['41', '40', '39']],
    ['startedBefore=2026-03-01T09:31:00.000Z', ['31', '30']],
    ['startedBy=nobody', []],
    ['workflowCode=none', []],
  ])('?%s lists those, newest first', async (query, expected) => {
    const api = await someCases(12);

    expect(await keysOf(api, query)).toEqual(expected);
  });

  it('counts on its first page when it is asked to, and not otherwise', async () => {
    const { get } = await someCases(7);
    const totals = async (query: string) => {
      const { body } = await get(`${CASES}?size=2&${query}`);
      return [body.totalElements, body.totalRelation, body.nextCursor];
    };

    const [plain, , next] = await totals('');
    const counted = await totals('count=auto&state=active');
    const later = await totals(`count=auto&cursor=${next}`);

    expect([plain, counted.slice(0, 2), later.slice(0, 2)]).toEqual([
      null,
      [4, 'eq'],
      [null, 'unknown'],
    ]);
    expect((await get(`${CASES}?count=all`)).status).toBe(400);
  });

  it('goes on where a page ended, by cursor and by number', async () => {
    const api = await someCases(12);
    const seen: string[] = [];
    let query = 'size=5';
    for (;;) {
      const { body } = await api.get(`${CASES}?${query}`);
      seen.push(
        ...(body.content as { caseInstanceId: string }[]).map((each) => each.caseInstanceId),
      );
      if (body.nextCursor === null) break;
      query = `size=5&cursor=${body.nextCursor}`;
    }

    expect(new Set(seen).size).toBe(12);
    expect(seen).toHaveLength(12);
    expect(await keysOf(api, 'size=5&page=1')).toEqual(['36', '35', '34', '33', '32']);
  });

  it.each(['entityType=loan', 'state=open', 'cursor=xyz', 'startedAfter=yesterday', 'sort=name'])(
    '?%s is a 400 that names the parameter',
    async (query) => {
      const { get } = await aCasesApi([aModel(aTask('One'))]);

      const { status, body } = await get(`${CASES}?${query}`);

      expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    },
  );

  it('shows a caller with a tenant only what that one has', async () => {
    const { get, start, post } = await aCasesApi([aModel(aTask('One'))]);
    await start();
    const caller = { sub: 'eve', tenant: 'acme', roles: ['admin'] };
    await post(CASES, { workflowCode: 'theCase', name: 'ours' }, caller);

    const { body } = await get(`${CASES}?tenantCode=`, caller);
    const own = await get(CASES, caller);

    expect(body.code).toBe('INVALID_PARAMETER');
    expect(own.body.content).toMatchObject([{ name: 'ours', tenantCode: 'acme' }]);
  });

  it('reads no more for a page when there are more cases', async () => {
    const costOf = async (count: number) => {
      const api = await someCases(count);
      api.db.meter.reset();
      await api.get(`${CASES}?workflowCode=theCase&state=active&size=2`);
      return api.db.meter.total().requests.length;
    };

    expect(await costOf(30)).toBe(await costOf(6));
  });
});
