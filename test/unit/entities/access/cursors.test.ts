import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { admin, OTHER_ISSUER } from '../../../helpers/api/test-tokens.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const LOANS = `${RECORDS}/loans`;
const HIDDEN = 'canary';

/** More loans than are sorted in memory: of each two, a reader sees one. */
const COUNT = 500;
async function aWorld() {
  let grant: PermissionDecision = { allowed: true };
  const host = { permissionEvaluator: { hasPermission: () => grant } };
  const api = anEntitiesApi({ host });
  const text = { type: 'string' };
  const uiSchemaJson = { type: 'object', properties: { name: text, place: text } };
  await api.define({
    code: 'loan',
    name: 'Loan',
    apiPath: 'loans',
    requirePermission: true,
    uiSchemaJson,
  });
  const ids = new Map<string, string>();
  const operations = Array.from({ length: COUNT }, (_, at) => {
    const name = `${at % 2 ? HIDDEN : 'shown'} of ${at}`;
    return { op: 'create', data: { name, place: String(at).padStart(3, '0') } };
  });
  const made = await api.post(`${LOANS}/bulk`, { operations });
  const results = made.body.results as { id: string; status: number }[];
  for (const [at, { id }] of results.entries()) ids.set(id, String(operations[at]?.data.name));
  grant = { allowed: true, rowFilter: { name: { contains: 'shown' } } };
  const widen = () => {
    grant = { allowed: true };
  };
  return { api, ids, widen };
}

/** What a cursor says to who looks into it. */
const bytesOf = (cursor: unknown): string =>
  Buffer.from(String(cursor), 'base64url').toString('latin1');

describe('the cursors of who sees some records only', () => {
  it.each(['', '&sort=place', '&sort=-place'])(
    'tell nothing of the others, and lead to the end and back%s',
    async (more) => {
      const { api, ids } = await aWorld();
      const hidden = [...ids].filter(([, name]) => name.includes(HIDDEN)).map(([id]) => id);
      const path = `${LOANS}?size=7${more}`;
      const seen: unknown[] = [];
      const cursors: unknown[] = [];

      let page = await api.get(path);
      for (let pages = 0; pages < 50; pages += 1) {
        seen.push(...contentOf(page).map(({ name }) => name));
        cursors.push(page.body.nextCursor, page.body.prevCursor);
        if (page.body.nextCursor === null) break;
        page = await api.get(`${path}&cursor=${String(page.body.nextCursor)}`);
        expect(page.status, page.text).toBe(200);
      }
      const back = await api.get(`${path}&cursor=${String(page.body.prevCursor)}`);

      const shown = [...ids.values()].filter((name) => !name.includes(HIDDEN));
      expect(new Set(seen)).toEqual(new Set(shown));
      expect(seen).toHaveLength(shown.length);
      expect(contentOf(back).length).toBe(7);
      const told = cursors.map(bytesOf).join();
      expect(told).not.toContain(HIDDEN);
      expect(hidden.filter((id) => told.includes(id))).toEqual([]);
    },
  );

  it('serve no subject of another issuer', async () => {
    const { api } = await aWorld();
    const path = `${LOANS}?size=7&sort=place`;
    const cursor = String((await api.get(path)).body.nextCursor);
    const caller = { ...admin, iss: OTHER_ISSUER };
    const answer = await api.get(`${path}&cursor=${cursor}`, { caller });
    expect(answer.body).toMatchObject({ status: 400, errors: [{ code: 'INVALID_CURSOR' }] });
  });

  it('are refused when they were changed, and serve whoever sees more by then', async () => {
    const { api, widen } = await aWorld();
    const path = `${LOANS}?size=7&sort=place`;
    const cursor = String((await api.get(path)).body.nextCursor);
    const changed = `${cursor.slice(0, -3)}AAA`;

    const refused = await api.get(`${path}&cursor=${changed}`);
    const emptied = await api.get(`${path}&cursor=e.`);
    widen();
    const more = await api.get(`${path}&cursor=${cursor}`);

    expect([refused, emptied].map(({ body }) => body.code)).toEqual([
      'INVALID_CURSOR',
      'INVALID_CURSOR',
    ]);
    expect(more.status).toBe(200);
    expect(contentOf(more).some(({ name }) => String(name).includes(HIDDEN))).toBe(true);
  });
});

describe('the cursor of a page in the order of five long texts', () => {
  it.each(['"', 'a', '漢', '𠀋', '\\'])('fits a parameter: %s', async (letter) => {
    const api = anEntitiesApi();
    const fields = ['a', 'b', 'c', 'd', 'e'];
    const text = { type: 'string' };
    const properties = Object.fromEntries(fields.map((field) => [field, text]));
    await api.define({
      code: 'loan',
      name: 'Loan',
      apiPath: 'loans',
      uiSchemaJson: { type: 'object', properties },
    });
    const values = Object.fromEntries(fields.map((field) => [field, letter.repeat(300)]));
    for (const at of [1, 2, 3])
      await api.post(LOANS, { ...values, e: `${letter.repeat(60)}${at}` });
    const path = `${LOANS}?size=1&sort=${fields.join(',')}`;

    const seen: unknown[] = [];
    let page = await api.get(path);
    for (let pages = 0; pages < 3; pages += 1) {
      seen.push(...contentOf(page).map(({ e }) => String(e).slice(-1)));
      if (page.body.nextCursor === null) break;
      page = await api.get(`${path}&cursor=${encodeURIComponent(String(page.body.nextCursor))}`);
      expect(page.status, page.text.slice(0, 300)).toBe(200);
    }

    expect(seen).toEqual(['1', '2', '3']);
  });
});

describe('the cursors of pages on which nothing is shown', () => {
  const COUNT = 7_000;

  it.each(['sort=name', 'sort=-name', 'sort=-createdAt'])(
    'tell nothing of the records where the work limit was reached, in both directions: %s',
    async (sort) => {
      let isNarrowed = false;
      const rowFilter = { not: { state: 'closed' } };
      const decide = () => (isNarrowed ? { allowed: true, rowFilter } : true);
      const api = anEntitiesApi({ host: { permissionEvaluator: { hasPermission: decide } } });
      const text = { type: 'string' };
      const uiSchemaJson = { type: 'object', properties: { name: text, state: text } };
      const loan = { code: 'loan', name: 'Loan', apiPath: 'loans', requirePermission: true };
      await api.define({ ...loan, uiSchemaJson });
      const isShown = (at: number): boolean => at === 3 || at === COUNT - 10;
      const bodies = Array.from({ length: COUNT }, (_, at) => ({
        name: `${isShown(at) ? 'shown' : HIDDEN} ${String(at).padStart(5, '0')}`,
        state: isShown(at) ? 'open' : 'closed',
      }));
      const ids = await loadRecords(api.context, 'loan', bodies);
      const hidden = ids.filter((_, at) => !isShown(at));
      isNarrowed = true;

      const cursors: unknown[] = [];
      for (const member of ['nextCursor', 'prevCursor']) {
        let cursor: unknown = member === 'nextCursor' ? '' : cursors.at(-1);
        for (let pages = 0; pages < 12 && cursor !== null; pages += 1) {
          const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
          const { status, body } = await api.get(`${LOANS}?${sort}&size=5&count=none${at}`);
          expect(status).toBe(200);
          cursor = body[member];
          cursors.push(body.nextCursor, body.prevCursor);
        }
      }

      const told = cursors.map(bytesOf).join();
      expect(told).not.toContain(HIDDEN);
      expect(hidden.filter((id) => told.includes(id))).toEqual([]);
    },
    60_000,
  );
});
