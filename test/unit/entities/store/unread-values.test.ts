import { describe, expect, it } from 'vitest';
import { RecordRepository } from '../../../../functions/entities/store/record-repository.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const THINGS = `${RECORDS}/things`;
const COUNT = 20;
const longText = { type: 'string', format: 'textarea' };
const properties = {
  name: { type: 'string' },
  number: { type: 'integer' },
  note: longText,
  story: { ...longText, 'x-search': true },
  ...Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`t${at}`, longText])),
};
const form = { type: 'object', properties, 'x-label': 'name' };

/** Records with a note of 10 KB and a story of 5 KB; the last one with more texts than are stored each by itself. */
async function withNotes() {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
  const api = anEntitiesApi({ host });
  await api.define({
    ...{ code: 'thing', name: 'Thing', apiPath: 'things', hierarchical: true },
    uiSchemaJson: form,
  });
  for (let at = 0; at < COUNT; at += 1) {
    const more =
      at === COUNT - 1
        ? Array.from({ length: 25 }, (_, text) => [`t${text}`, 'x'.repeat(4_500 - text)])
        : [];
    const made = await api.post(THINGS, {
      ...{ name: `n${at}`, number: at, note: `${at} `.padEnd(10_000, 'y') },
      ...{ story: `word${at} `.padEnd(5_000, 'z'), ...Object.fromEntries(more) },
    });
    expect(made.status, made.text.slice(0, 300)).toBe(201);
  }
  const readUnits = async (path: string): Promise<number> => {
    const cost = await api.context.db.meter.costOf(() => api.get(path));
    return cost.readUnits;
  };
  return { ...api, readUnits };
}

describe('a condition on a large text', () => {
  it('says of records that refer to another, or are below it, whether they go with it', async () => {
    const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
    const { define, post, get, runJobs } = anEntitiesApi({ host });
    const other = { type: 'string', 'x-reference': { entity: 'thing' } };
    const fields = { name: { type: 'string' }, story: { type: 'string' }, other };
    const uiSchemaJson = { type: 'object', properties: fields };
    await define({ code: 'thing', name: 'T', apiPath: 'things', hierarchical: true, uiSchemaJson });
    const story = 'once upon a time '.padEnd(5_000, 'x');
    const [one, two] = [await post(THINGS, { story }), await post(THINGS, { story })];
    for (let at = 0; at < 3; at += 1) {
      await post(THINGS, { story, other: one.body.id });
      await post(THINGS, { story, parentId: two.body.id });
    }
    const filter = { story: { contains: 'upon' } };

    const started = await post(`${THINGS}/bulk:delete`, { filter, dryRun: true });
    for (let at = 0; at < 4; at += 1) await runJobs();
    const { body } = await get(`${THINGS}/jobs/${String(started.body.id)}`);

    expect(body.result).toEqual({ dryRun: true, deleted: 8, failed: 0, failures: [] });
  });
});

describe('large texts', () => {
  it('that a list does not ask for are not read', async () => {
    const { get, readUnits } = await withNotes();
    await get(THINGS);

    const whole = await readUnits(`${THINGS}?count=none`);
    const names = await readUnits(`${THINGS}?fields=name&count=none`);
    const notes = await readUnits(`${THINGS}?fields=name,note&count=none`);
    const sorted = await readUnits(`${THINGS}?fields=name&sort=number&count=none`);

    expect(names).toBeLessThanOrEqual(12.5);
    expect(sorted).toBeLessThanOrEqual(12.5);
    expect(notes).toBeGreaterThan(names + COUNT);
    expect(whole).toBeGreaterThan(notes + COUNT / 2);
  });

  it('that counts, facets and trees do not ask for are not read', async () => {
    const { readUnits } = await withNotes();

    expect(await readUnits(`${THINGS}/facets?fields=number&name[exists]=true`)).toBeLessThan(15);
    expect(await readUnits(`${THINGS}/count?name[ne]=n1&number[ne]=7`)).toBeLessThan(15);
    expect(await readUnits(`${THINGS}/tree?fields=number`)).toBeLessThan(15);
  });

  it('are found, shown and left out as if they were read', async () => {
    const { get } = await withNotes();

    const found = contentOf(await get(`${THINGS}?q=word7&fields=name`));
    const shown = contentOf(await get(`${THINGS}?fields=t0,t24,note&number=${COUNT - 1}`));
    const bare = contentOf(await get(`${THINGS}?fields=number`));

    expect(found.map(({ name }) => name)).toEqual(['n7']);
    expect(found[0]).not.toHaveProperty('story');
    const [{ t0, t24, note } = {}] = shown;
    expect([String(t0).length, String(t24).length, String(note).length]).toEqual([
      4_500, 4_476, 10_000,
    ]);
    expect(bare.map(({ number }) => number)).toEqual(
      Array.from({ length: COUNT }, (_, at) => COUNT - 1 - at),
    );
  });

  it('are shown under the new name of their field before the job has brought them over', async () => {
    const { get, put } = await withNotes();
    const { note, ...others } = properties;
    const renamed = {
      ...form,
      properties: { ...others, remark: { ...note, 'x-renamed-from': 'note' } },
    };
    const changed = await put(`${DEFINITIONS}/code/thing/schema`, renamed);

    const [first] = contentOf(await get(`${THINGS}?fields=remark&sort=number`));

    expect(changed.status, changed.text).toBe(200);
    expect(String(first?.remark)).toHaveLength(10_000);
  });
});

describe('a large text of one record', () => {
  it('that is not asked for is not read', async () => {
    const { get, readUnits } = await withNotes();
    const [last] = contentOf(await get(`${THINGS}?fields=name&number=3`));
    const path = `${THINGS}/${last?.id}`;

    const whole = await readUnits(path);
    const name = await readUnits(`${path}?fields=name`);
    const note = await readUnits(`${path}?fields=name,note`);

    expect(name).toBe(1);
    expect(note).toBeGreaterThan(name);
    expect(whole).toBeGreaterThan(name + 2);
    expect((await get(`${path}?fields=name,note`)).body).toMatchObject({
      name: 'n3',
      note: '3 '.padEnd(10_000, 'y'),
    });
    expect((await get(`${path}?fields=name`)).body).not.toHaveProperty('note');
    expect((await get(`${path}?fields=nome`)).status).toBe(400);
    expect((await get(`${THINGS}/${crypto.randomUUID()}?fields=note`)).status).toBe(404);
  });

  it('that is changed while it is read belongs to the version that is shown', async () => {
    const { get, put } = await withNotes();
    const [last] = contentOf(await get(`${THINGS}?fields=name&number=3`));
    const path = `${THINGS}/${last?.id}`;
    let change: Promise<unknown> | undefined;
    const original = RecordRepository.prototype.findLarge;
    RecordRepository.prototype.findLarge = async function changing(...given) {
      change ??= put(path, { name: 'n3', number: 99, note: 'new '.padEnd(9_000, 'y') });
      await change;
      return original.apply(this, given);
    };
    try {
      const { body } = await get(`${path}?fields=number,note`);
      expect([body.version, body.number, String(body.note).slice(0, 3)]).toEqual([2, 99, 'new']);
    } finally {
      RecordRepository.prototype.findLarge = original;
    }
  });
});

describe('a page that shows what was written a moment ago', () => {
  it.each(['?consistent=true', '?consistent=true&fields=note&name=n', '/trash'])(
    'shows the long texts of then: %s',
    async (query) => {
      const { context, define, post, get, put, remove } = anEntitiesApi();
      await define({ code: 'thing', name: 'T', apiPath: 'things', uiSchemaJson: form });
      const made = await post(THINGS, { name: 'n', note: 'old '.padEnd(10_000, 'x') });
      context.db.lag();
      const path = `${THINGS}/${String(made.body.id)}`;
      await put(path, { name: 'n', note: 'new '.padEnd(10_000, 'x') });
      if (query === '/trash') await remove(path);

      const [record] = contentOf(await get(`${THINGS}${query}`));

      expect(String(record?.note).slice(0, 4)).toBe('new ');
    },
  );
});

describe('the long texts of an export', () => {
  const EXPORT = `${THINGS}/export?fields=note`;
  const noteOf = (word: string): string => `${word} `.padEnd(20_000, 'x');

  async function exported() {
    const api = anEntitiesApi();
    await api.define({ code: 'thing', name: 'T', apiPath: 'things', uiSchemaJson: form });
    const paths: string[] = [];
    for (let at = 0; at < COUNT; at += 1) {
      const made = await api.post(THINGS, { name: `n${at}`, note: noteOf('old') });
      paths.push(`${THINGS}/${String(made.body.id)}`);
    }
    await api.get(EXPORT);
    const unitsOfTexts = async (): Promise<number> => {
      const whole = await api.context.db.meter.costOf(() => api.get(EXPORT));
      const names = await api.context.db.meter.costOf(() =>
        api.get(`${THINGS}/export?fields=name`),
      );
      return (whole.readUnits - names.readUnits) / COUNT;
    };
    const words = async () => {
      const { text } = await api.get(EXPORT);
      return (JSON.parse(text) as { note: string }[]).map(({ note }) => note.split(' ')[0]);
    };
    return { ...api, paths, unitsOfTexts, words };
  }

  it('are those of the record, though other readers do not see them yet', async () => {
    const { context, put, words, paths } = await exported();
    const [first = '', second = ''] = paths;
    await put(second, { name: 'before', note: noteOf('newer') });
    context.db.lag();
    await put(first, { name: 'changed', note: noteOf('new') });
    await put(second, { name: 'after', note: noteOf('newest') });

    expect((await words()).toSorted()).toEqual(
      [...Array(COUNT - 2).fill('old'), 'new', 'newest'].toSorted(),
    );
  });

  it('are read at the price of other readers, also those that a change has left as they were', async () => {
    const { put, unitsOfTexts, paths } = await exported();
    const before = await unitsOfTexts();
    for (const path of paths) await put(path, { name: 'changed', note: noteOf('old') });

    expect(before).toBe(2.5);
    expect(await unitsOfTexts()).toBe(2.5);
  });

  it('are read as they are where their record was written without digests', async () => {
    const { context, put, words, unitsOfTexts, paths } = await exported();
    for (const { pk, sk, digests } of context.db.items()) {
      if (!digests) continue;
      await context.unitOfWork(async (unit) =>
        unit.update({ pk: String(pk), sk: String(sk) }, { expression: 'REMOVE digests' }),
      );
    }
    context.db.lag();
    await put(paths[0] ?? '', { name: 'n0', note: noteOf('new') });
    expect(await words()).toContain('new');
    context.db.catchUp();
    expect(await unitsOfTexts()).toBeGreaterThan(4);
  });
});
