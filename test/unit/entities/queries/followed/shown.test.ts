import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../../shared/ports/security.ts';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

describe('what is kept of a list that is followed', () => {
  const LOANS = `${RECORDS}/loans`;
  const FILTERED = `${LOANS}?size=10&count=none&state=open&sort=amount,name`;

  const NORTH = { allowed: true, rowFilter: { branch: 'north' } };
  const reader = { sub: 'reader' };
  const other = { sub: 'other' };

  async function loans() {
    const grants = new Map<string, PermissionDecision>();
    const hasPermission = ({ id }: { readonly id: string }) => grants.get(id) ?? true;
    const api = anEntitiesApi({ host: { permissionEvaluator: { hasPermission } } });
    const text = { type: 'string' };
    await api.define({
      ...{ code: 'loan', name: 'Loan', apiPath: 'loans', requirePermission: true },
      uiSchemaJson: {
        type: 'object',
        properties: { name: text, state: text, branch: text, amount: { type: 'integer' } },
      },
    });
    const bodies = Array.from({ length: 600 }, (_, at) => ({
      name: `loan ${at}`,
      state: at % 2 ? 'open' : 'closed',
      branch: at % 3 ? 'north' : 'south',
      amount: (at * 37) % 101,
    }));
    const ids = await loadRecords(api.context, 'loan', bodies);
    const page = (caller: typeof reader, cursor: unknown) =>
      api.get(cursor ? `${FILTERED}&cursor=${encodeURIComponent(String(cursor))}` : FILTERED, {
        caller,
      });
    return { api, grants, page, ids };
  }

  const branches = (page: Parameters<typeof contentOf>[0]) =>
    new Set(contentOf(page).map(({ branch }) => branch));

  it('shows nobody more than a grant that was narrowed meanwhile', async () => {
    const { grants, page } = await loans();
    const first = await page(reader, undefined);
    const second = await page(reader, first.body.nextCursor);
    grants.set(reader.sub, NORTH);

    const seen = new Set<unknown>();
    for (let cursor = second.body.nextCursor; cursor !== null; ) {
      const later = await page(reader, cursor);
      expect(later.status, later.text).toBe(200);
      for (const branch of branches(later)) seen.add(branch);
      cursor = later.body.nextCursor;
    }

    expect(branches(second)).toEqual(new Set(['north', 'south']));
    expect(seen).toEqual(new Set(['north']));
  });

  it('serves no other user, whose grant is narrower', async () => {
    const { grants, page } = await loans();
    grants.set(other.sub, NORTH);
    const first = await page(reader, undefined);

    const taken = await page(other, first.body.nextCursor);
    const own = await page(other, (await page(other, undefined)).body.nextCursor);

    expect(taken).toMatchObject({ status: 400, body: { code: 'INVALID_CURSOR' } });
    expect(branches(own)).toEqual(new Set(['north']));
  });

  it('shows a record that was deleted or has left the filter meanwhile to nobody', async () => {
    const { api, page, ids } = await loans();
    const first = await page(reader, undefined);
    const shown = new Set(contentOf(first).map(({ id }) => id));
    const [gone, left] = ids.filter((id, at) => at % 2 === 1 && !shown.has(id));
    await api.remove(`${LOANS}/${gone}`);
    const { body } = await api.get(`${LOANS}/${left}`);
    await api.put(`${LOANS}/${left}`, { ...body, state: 'closed' });

    const seen: unknown[] = [...shown];
    for (let cursor = first.body.nextCursor; cursor !== null; ) {
      const later = await page(reader, cursor);
      seen.push(...contentOf(later).map(({ id }) => id));
      cursor = later.body.nextCursor;
    }

    const wanted = ids.filter((id, at) => at % 2 === 1 && id !== gone && id !== left);
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  });
});
