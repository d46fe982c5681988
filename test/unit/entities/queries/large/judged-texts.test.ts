import { beforeAll, describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

const COUNT = 12;
const LARGE = 1_500_000;
const PAPERS = `${RECORDS}/papers`;
const text = { type: 'string', format: 'textarea', 'x-searchable': true };
const properties = {
  name: { type: 'string' },
  body: text,
  other: { type: 'string', 'x-reference': { entity: 'paper', onDelete: 'none' } },
};

/** A tree of papers; the long text of each says who may read it. */
async function papers() {
  const storage = memoryStorage();
  let reads = 0;
  let decision: boolean | PermissionDecision = true;
  const host = {
    permissionEvaluator: { hasPermission: () => decision },
    storage: {
      ...storage,
      get: (path: string) => {
        reads += 1;
        return storage.get(path);
      },
    },
  };
  const api = anEntitiesApi({ host, svc: { web: { 'max-body': 6_000_000 } } });
  const uiSchemaJson = { type: 'object', properties, 'x-label': 'name' };
  await api.define({
    ...{ code: 'paper', name: 'Paper', apiPath: 'papers', hierarchical: true, uiSchemaJson },
    requirePermission: true,
  });
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    const body = `${at % 4 === 3 ? 'secret' : 'public'} `.padEnd(LARGE, 'x');
    const other = ids[0];
    const made = await api.post(PAPERS, { name: `n${at}`, body, ...(other && { other }) });
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    ids.push(String(made.body.id));
  }
  const reading = async (path: string, fields?: readonly string[]) => {
    reads = 0;
    decision = {
      ...{ allowed: true, rowFilter: { body: { startsWith: 'public' } } },
      ...(fields && { fields }),
    };
    const answer = await api.get(PAPERS + path);
    decision = true;
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    return { answer, reads };
  };
  const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
    reads = 0;
    await work();
    return reads;
  };
  return { api, ids, reading, readsOf };
}

const SEEN = (COUNT * 3) / 4;

describe('records whose long texts say who sees them', () => {
  let given: Awaited<ReturnType<typeof papers>>;
  beforeAll(async () => {
    given = await papers();
  });

  const names = ({ answer }: Awaited<ReturnType<typeof given.reading>>) =>
    contentOf(answer).map(({ name }) => name);

  it.each([
    ['/tree?fields=name', undefined, COUNT],
    ['/tree?fields=name,body', ['name'], COUNT],
    ['/export?fields=name', undefined, COUNT],
    ['/export?format=csv&sort=-name&expand=other', ['name', 'other'], COUNT + 1],
  ])('are all in an answer that does not show the texts: %s', async (path, fields, most) => {
    const { answer, reads } = await given.reading(path, fields);

    for (let at = 0; at < COUNT; at += 1)
      expect(new RegExp(`\\bn${at}\\b`).test(answer.text)).toBe(at % 4 !== 3);
    expect(answer.text).not.toContain('public');
    expect(reads).toBeLessThanOrEqual(most);
  });

  it.each([
    ['/export?fields=name', 0],
    ['/export?fields=name,other&expand=other&sort=name', 0],
    ['/tree?fields=name', 0],
    ['/export?fields=name&name=n1', 0],
    ['/export?name=n1', 1],
    ['/export?fields=name&body[contains]=public', COUNT],
  ])('are read for those who see all where they are shown or compared: %s', async (path, most) => {
    const reads = await given.readsOf(() => given.api.get(PAPERS + path));

    expect(reads).toBe(most);
  });

  it('are read once for each record that a change by filter changes', async () => {
    const body = { filter: { name: { startsWith: 'n' } }, data: { other: null } };
    const reads = await given.readsOf(async () => {
      const { headers } = await given.api.post(`${PAPERS}/bulk:update`, body);
      await given.api.runJobs();
      const job = await given.api.get(String(headers.location));
      expect(job.body).toMatchObject({ state: 'DONE', result: { updated: COUNT - 1 } });
    });

    expect(reads).toBeLessThanOrEqual(COUNT);
  });

  it.each([
    ['?fields=name&size=20', undefined],
    ['?fields=name,other&expand=other&size=20&sort=-name', ['name', 'other']],
    ['?size=20&sort=name', ['name']],
    [`/trash?size=20`, ['name']],
  ])('are all on a page that does not show the texts: %s', async (path, fields) => {
    if (path.startsWith('/trash'))
      for (const id of given.ids) await given.api.remove(`${PAPERS}/${id}`);

    const page = await given.reading(path, fields);

    expect(names(page)).toHaveLength(SEEN);
    expect(names(page)).not.toContain('n3');
    expect(page.answer.body).toMatchObject({ last: true, nextCursor: null });
    expect(page.answer.text).not.toContain('secret');
    // Each text is read once to be judged, and what others refer to.
    expect(page.reads).toBeLessThanOrEqual(COUNT + 1);
  });
});
