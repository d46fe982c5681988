import { describe, expect, it } from 'vitest';
import { claimKey } from '../../../../functions/entities/store/record-items.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const THINGS = `${RECORDS}/things`;
/** Letters of one to four bytes that no folding shortens. */
const LETTERS = ['a', 'ж', '漢', '𠀋'];
const text = { type: 'string' };
const longText = { type: 'string', format: 'textarea' };

async function anApiOf(
  properties: Readonly<Record<string, object>>,
  keywords: object = {},
  more: object = {},
): Promise<EntitiesApi> {
  const api = anEntitiesApi({
    svc: { web: { 'max-body': 6_000_000 } },
    host: { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() },
  });
  const uiSchemaJson = { type: 'object', properties, ...keywords };
  const definition = { code: 'thing', name: 'Thing', apiPath: 'things', uiSchemaJson, ...more };
  const defined = await api.define(definition);
  expect(defined.status, defined.text).toBe(201);
  return api;
}

/** The same for `f0`, `f1` and so on. */
const fields = <T>(count: number, each: T | ((at: number) => T)): Record<string, T> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `f${at}`,
      typeof each === 'function' ? (each as (at: number) => T)(at) : each,
    ]),
  );

const query = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** A text that no compression makes short. */
function noise(seed: number, length: number): string {
  let state = seed * 2_654_435_761 + 1;
  let made = '';
  while (made.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    made += state.toString(36);
  }
  return made.slice(0, length);
}

describe.each(LETTERS)('an index over five texts of %s', (letter) => {
  const combined = { 'x-indexes': [['f0', 'f1', 'f2', 'f3', 'f4']] };
  const bytes = Buffer.byteLength(letter);
  /** Parts begin with a digit and are separated; a sort key of 1 024 bytes ends in 37 for the id. */
  const longest = Math.floor((1_024 - 37 - 4 - 5) / bytes);
  const valuesOf = (letters: number) => {
    const share = Math.min(Math.floor(256 / bytes), Math.ceil(letters / 5));
    return fields(
      5,
      (at) => letter.repeat(Math.max(0, Math.min(share, letters - at * share))) || '0',
    );
  };

  it('takes what fits a key, finds, sorts and pages it', async () => {
    const api = await anApiOf(fields(5, text), combined);
    const values = valuesOf(longest);
    for (const f4 of ['0', '1', '2'])
      expect((await api.post(THINGS, { ...values, f4 })).status).toBe(201);
    expect((await api.post(THINGS, values)).status).toBe(201);
    const { f4: _f4, ...first } = values;

    const found = await api.get(`${THINGS}?${query(values)}`);
    const page = await api.get(`${THINGS}?${query(first)}&sort=-f4&size=2`);
    const path = `${THINGS}?${query(first)}&sort=-f4&size=2`;
    const next = await api.get(`${path}&cursor=${String(page.body.nextCursor)}`);

    expect(contentOf(found)).toHaveLength(1);
    const seen = [...contentOf(page), ...contentOf(next)].map(({ f4 }) => f4);
    expect(seen).toEqual([values.f4, '2', '1', '0']);
  });

  it('refuses more than fits, and names field and rule', async () => {
    const api = await anApiOf(fields(5, text), combined);
    const refused = await api.post(THINGS, fields(5, letter.repeat(300)));

    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/f0', code: 'TOO_LONG' }] },
    });
    expect(refused.text).toContain('of at most 987');
  });

  it.each(['', '&sort=f4', '&sort=f0,f1,f2,f3,f4', '&sort=-f4&f4%5Bgte%5D=0'])(
    'finds nothing by values that are too long for it%s',
    async (order) => {
      const api = await anApiOf(fields(5, text), combined);
      await api.post(THINGS, fields(5, 'x'));
      const { f4, ...first } = fields(5, letter.repeat(300));
      const filter = order.startsWith('&sort=-f4') ? first : { ...first, f4: String(f4) };

      const answer = await api.get(`${THINGS}?${query(filter)}${order}`);

      expect(answer.status, answer.text).toBe(200);
      expect(contentOf(answer)).toEqual([]);
    },
  );
});

describe('an index over texts that records have already', () => {
  it('is not built when one of them is too long, and the job says which', async () => {
    const api = await anApiOf(fields(5, text));
    const { id } = (await api.post(THINGS, fields(5, '漢'.repeat(300)))).body;
    const uiSchemaJson = {
      type: 'object',
      properties: fields(5, text),
      'x-indexes': [['f0', 'f1', 'f2', 'f3', 'f4']],
    };
    const changed = await api.put(`${DEFINITIONS}/code/thing/schema`, uiSchemaJson);
    expect(changed.status, changed.text).toBe(200);
    const [job] = changed.body.jobs as { id: string }[];
    for (let at = 0; at < 4; at += 1) await api.runJobs();

    const ended = await api.get(`${DEFINITIONS}/code/thing/jobs/${job?.id}`);
    const listed = await api.get(`${THINGS}?sort=f0,f1,f2,f3,f4`);
    expect(ended.body).toMatchObject({ state: 'FAILED', result: { recordId: id } });
    expect(contentOf(listed).map((each) => each.id)).toEqual([id]);
  });
});

describe('the claim of a unique value', () => {
  it.each(LETTERS)('has a key whatever the names of its fields: %s', async (letter) => {
    const codes = Array.from(
      { length: 5 },
      (_, at) => letter.repeat(63) + String.fromCharCode(97 + at),
    );
    const properties = Object.fromEntries(codes.map((code) => [code, text]));
    const api = await anApiOf(properties, { 'x-unique': [codes] });
    const bytes = Math.floor(1_000 / 5 / Buffer.byteLength(letter));
    const body = Object.fromEntries(codes.map((code) => [code, letter.repeat(bytes)]));

    const made = await api.post(THINGS, body);
    const again = await api.post(THINGS, body);

    expect(made.status, made.text).toBe(201);
    expect(again).toMatchObject({ status: 409, body: { code: 'UNIQUE_VIOLATION' } });
  });

  it('keeps the form of keys that fit', () => {
    expect(claimKey('thing', 'code', 'a')).toEqual({ pk: 'DYN_UNIQUE#thing#code#a', sk: 'U' });
  });
});

describe('what is no id', () => {
  it.each(LETTERS)('refers to no record and names none, at any length: %s', async (letter) => {
    const reference = { type: 'string', 'x-reference': { entity: 'thing' } };
    const api = await anApiOf({ to: reference, many: { type: 'array', items: reference } });
    const long = letter.repeat(3_000);
    const operand = encodeURIComponent(`a${letter.repeat(Math.floor(999 / letter.length))}`);

    const answers = [
      await api.post(THINGS, { to: long }),
      await api.post(THINGS, { many: [long, letter] }),
      await api.get(`${THINGS}?id=${operand}`),
      await api.get(`${THINGS}?to=${operand}`),
      await api.get(
        `${THINGS}?filter=${encodeURIComponent(JSON.stringify({ id: { in: [letter, 'b'] } }))}`,
      ),
    ];

    const codes = answers.map(({ status, body }) => body.code ?? status);
    const missing = 'REFERENCE_NOT_FOUND';
    expect(codes).toEqual([missing, missing, 200, 200, 200]);
  });

  it('more references than a transaction checks are refused when written', async () => {
    const reference = { type: 'string', 'x-reference': { entity: 'thing' } };
    const many = { type: 'array', items: reference };
    const api = await anApiOf({ one: many, two: many });
    const ids = Array.from({ length: 26 }, (_, at) => `00000000-0000-7000-8000-${1e11 + at}0`);

    const refused = await api.post(THINGS, { one: ids, two: ids });

    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/two', code: 'MAX_ITEMS' }] },
    });
  });
});

interface Facet {
  readonly value: string;
  readonly count: number;
}

describe('counters by value', () => {
  const values = Array.from({ length: 25 }, (_, at) => `v${at}`);
  const enumeration = { type: 'string', enum: values };

  it('of records in bulk may be more than one update takes', async () => {
    const api = await anApiOf(fields(60, enumeration));
    const operations = values.map((_, at) => ({
      op: 'create',
      data: fields(60, (field) => values[(at + field) % 25] ?? ''),
    }));

    const made = await api.post(`${THINGS}/bulk`, { operations });
    const counted = await api.get(`${THINGS}/facets?fields=f0,f59`);

    expect(made.status, made.text.slice(0, 300)).toBe(200);
    const each = (answered: unknown) =>
      (answered as { value: string; count: number }[]).map(({ count }) => count);
    expect(each(counted.body.f0)).toEqual(values.map(() => 1));
    expect(each(counted.body.f59)).toEqual(values.map(() => 1));
  });

  it('of all records of an atomic call may be more than one update for each of their items takes', async () => {
    const many = Array.from({ length: 50 }, (_, at) => `v${at}`);
    const api = await anApiOf(fields(100, { type: 'string', enum: many }));
    const named = (at: number) => many[at % 50] ?? '';
    const dataOf = (at: number) => fields(100, (field) => named(at + field));
    const atomic = (operations: readonly object[]) =>
      api.post(`${THINGS}/bulk`, { operations, atomic: true });
    const countsOf = async () => {
      const { body } = await api.get(`${THINGS}/facets?fields=f0,f99`);
      return [body.f0, body.f99].map(
        (facet) => new Map((facet as Facet[]).map(({ value, count }) => [value, count])),
      );
    };

    const made = await atomic(
      many.slice(0, 39).map((_, at) => ({ op: 'create', data: dataOf(at) })),
    );
    const first = await countsOf();
    const { results } = made.body as { results: { id: string }[] };
    const changes = results.slice(0, 20).map(({ id }, at) => ({
      ...{ op: 'update', id },
      data: dataOf(at + 39),
    }));
    const changed = await atomic(changes);
    const second = await countsOf();
    const gone = await atomic(results.slice(0, 20).map(({ id }) => ({ op: 'delete', id })));
    const rest = await countsOf();

    const expected = (from: (at: number) => number, left: readonly number[]) =>
      [0, 99].map((field) => {
        const counts = new Map<string, number>();
        for (const at of left) {
          const value = named(from(at) + field);
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
        return counts;
      });
    const all = Array.from({ length: 39 }, (_, at) => at);
    const moved = (at: number) => (at < 20 ? at + 39 : at);
    expect(made.status, made.text.slice(0, 300)).toBe(200);
    expect(first).toEqual(expected((at) => at, all));
    expect(changed.status, changed.text.slice(0, 300)).toBe(200);
    expect(second).toEqual(expected(moved, all));
    expect(gone.status, gone.text.slice(0, 300)).toBe(200);
    expect(rest).toEqual(expected(moved, all.slice(20)));
  });

  it('are limited by the form', async () => {
    const api = anEntitiesApi();
    const letters = '漢'.repeat(62);
    const choices = Array.from({ length: 50 }, (_, at) => `${at}`);
    const node = { type: 'string', enum: choices };
    const codes = Array.from({ length: 40 }, (_, at) => `${letters}${at}`);
    const define = (properties: object) =>
      api.define({
        code: 'thing',
        name: 'T',
        apiPath: 'things',
        uiSchemaJson: { type: 'object', properties },
      });

    const refused = await define(Object.fromEntries(codes.map((code) => [code, node])));
    const uncounted = { ...node, 'x-facet': false };
    const taken = await define(Object.fromEntries(codes.map((code) => [code, uncounted])));

    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_SCHEMA' } });
    expect(refused.text).toContain('x-facet');
    expect(taken.status).toBe(201);
  });
});

describe('the history of a record', () => {
  it('keeps a change of many long texts, shortened to what an item holds', async () => {
    const api = await anApiOf(fields(100, longText), {}, { options: { history: true } });
    const { id } = (await api.post(THINGS, fields(100, '漢'.repeat(1_100)))).body;
    const changed = await api.put(`${THINGS}/${id}`, fields(100, '字'.repeat(1_100)));
    const history = await api.get(`${THINGS}/${id}/history`);

    expect(changed.status, changed.text.slice(0, 300)).toBe(200);
    const [latest] = contentOf(history) as { changes: { field: string; before: string }[] }[];
    expect(latest?.changes).toHaveLength(100);
    expect(latest?.changes.every(({ before }) => /^"漢+\.\.\.$/.test(before))).toBe(true);
  });
});

describe('an open-ended record', () => {
  const members = (count: number, length: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`m${at}`.padEnd(length, 'x'), at]),
    );
  const open = { additionalProperties: true };

  it.each([
    [5_000, 17],
    [387, 256],
  ])('with %i members with names of %i bytes is stored, read and told', async (count, length) => {
    const api = await anApiOf({ name: text }, open, { options: { history: true, events: 'ids' } });
    const values = members(count, length);

    const made = await api.post(THINGS, values);
    const path = `${THINGS}/${String(made.body.id)}`;
    const read = await api.get(path);
    const changed = await api.put(
      path,
      Object.fromEntries(Object.keys(values).map((k) => [k, 'z'])),
    );
    const history = await api.get(`${path}/history`);

    expect([made.status, changed.status], made.text.slice(0, 300)).toEqual([201, 200]);
    expect(read.body).toMatchObject(values);
    const [latest] = contentOf(history) as { changes: { field: string }[] }[];
    expect(latest?.changes).toHaveLength(count);
  });

  it.each([
    ['a name', members(1, 257), 'TOO_LONG'],
    ['all names', members(400, 256), 'TOO_MANY'],
    ['the number of members', members(5_001, 5), 'TOO_MANY'],
  ])('is refused for %s beyond the limit', async (_, values, code) => {
    const api = await anApiOf({ name: text }, open, { options: { history: true } });
    const last = Object.keys(values).at(-1) ?? '';

    const refused = await api.post(THINGS, values);

    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ pointer: `/${last}`, code }] },
    });
  });

  it('at the limit is changed all the same, and takes another member for one that goes', async () => {
    const api = await anApiOf({ name: text }, open);
    const { id } = (await api.post(THINGS, members(5_000, 5))).body;

    const changed = await api.put(`${THINGS}/${id}`, { ...members(2, 5), name: 'x' });
    const more = await api.put(`${THINGS}/${id}`, { other: 1 });
    const instead = await api.put(`${THINGS}/${id}`, { other: 1, m0xxx: null });

    expect([changed.status, more.status, instead.status]).toEqual([200, 400, 200]);
  });
});

describe('a definition', () => {
  const codes = (letter: string, version: number) =>
    Array.from({ length: 480 }, (_, at) => `${letter.repeat(50)}${version}x${at}`);
  const schemaOf = (properties: object) => ({ type: 'object', properties });

  it('keeps the values of fields that are gone, however many these become', async () => {
    const api = await anApiOf({ name: text });
    const { id } = (await api.post(THINGS, { name: 'n' })).body;
    for (let version = 1; version <= 16; version += 1) {
      const named = codes('w', version);
      const properties = Object.fromEntries(named.map((code) => [code, longText]));
      const changed = await api.put(
        `${DEFINITIONS}/code/thing/schema?force=true`,
        schemaOf({ name: text, ...properties }),
      );
      expect(changed.status, changed.text.slice(0, 300)).toBe(200);
      const body = Object.fromEntries(named.map((code) => [code, 'y']));
      const written = await api.put(`${THINGS}/${id}`, body);
      expect(written.status, written.text.slice(0, 300)).toBe(200);
    }
  }, 60_000);

  it('that no item holds is refused until the jobs of earlier changes have ended', async () => {
    const api = await anApiOf(Object.fromEntries(codes('w', 0).map((code) => [code, longText])));
    await api.post(THINGS, {});
    const rename = (version: number) => {
      const properties = codes('w', version).map((code, at) => {
        return [code, { ...longText, 'x-renamed-from': codes('w', version - 1)[at] }];
      });
      return api.put(`${DEFINITIONS}/code/thing/schema`, schemaOf(Object.fromEntries(properties)));
    };
    let refused = await rename(1);
    let version = 1;
    for (; refused.status === 200 && version < 20; refused = await rename(version)) version += 1;
    for (let at = 0; at < 40; at += 1) await api.runJobs();
    const again = await rename(version);

    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'INVALID_SCHEMA', errors: [{ pointer: '/properties', code: 'TOO_BIG' }] },
    });
    expect(again.status, again.text.slice(0, 300)).toBe(200);
  }, 60_000);

  it('brings references to as many entities as one transaction registers, and to more with the next', async () => {
    const api = await anApiOf({ name: text });
    const targets = Array.from({ length: 46 }, (_, at) => `t${at}`);
    const properties = { name: text };
    const uiSchemaJson = { type: 'object', properties };
    for (const code of targets) await api.define({ code, name: 'T', apiPath: code, uiSchemaJson });
    const all = targets.map((entity, at) => [
      `f${at}`,
      { type: 'string', 'x-reference': { entity } },
    ]);
    const form = (count: number) => schemaOf(Object.fromEntries(all.slice(0, count)));
    const other = { code: 'other', name: 'O', apiPath: 'others' };

    const refused = await api.define({ ...other, uiSchemaJson: form(46) });
    const made = await api.define({ ...other, uiSchemaJson: form(44) });
    const grown = await api.put(`${DEFINITIONS}/code/other/schema`, form(46));

    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/properties/f44/x-reference', code: 'TOO_MANY' }] },
    });
    expect([made.status, grown.status], grown.text.slice(0, 300)).toEqual([201, 200]);
  });

  it('is referred to by as many fields as it lists', async () => {
    const api = await anApiOf({ name: text });
    const reference = { type: 'string', 'x-reference': { entity: 'thing' } };
    const fieldsOf = (letter: string) =>
      Object.fromEntries(
        Array.from({ length: 99 }, (_, at) => [letter.repeat(60) + at, reference]),
      );
    const define = (at: number) =>
      api.define({
        ...{ code: `${'e'.repeat(47)}${at}`, name: 'E', apiPath: `e${at}` },
        uiSchemaJson: schemaOf(fieldsOf('r')),
      });
    let refused = await define(0);
    for (let at = 1; refused.status === 201 && at < 40; at += 1) refused = await define(at);
    const { id } = (await api.post(THINGS, { name: 'x' })).body;
    const removed = await api.remove(`${THINGS}/${id}`);

    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_SCHEMA' } });
    expect(refused.text).toContain('/x-reference is one reference too many to thing');
    expect(removed.status).toBe(204);
  }, 60_000);
});

describe('a record with many large texts', () => {
  it.each([20, 21, 98, 300])(
    'is stored, read, changed, emptied and purged: %i texts',
    async (count) => {
      const api = await anApiOf(fields(300, longText));
      const values = fields(count, (at) => `${at} `.padEnd(4_200, 'x'));
      const made = await api.post(THINGS, values);
      expect(made.status, made.text.slice(0, 300)).toBe(201);
      const path = `${THINGS}/${String(made.body.id)}`;

      const changed = await api.put(path, {
        f0: 'y'.repeat(4_300),
        [`f${count - 1}`]: 'z'.repeat(9_000),
      });
      const read = await api.get(path);
      const listed = await api.get(THINGS);
      const emptied = await api.put(`${path}?replace=true`, { f1: 'short' });
      const rest = await api.get(path);
      const deleted = await api.remove(path);
      const restored = await api.post(`${path}/restore`);
      await api.put(path, values);
      const purged = [await api.remove(path), await api.remove(`${path}?purge=true`)];

      const wanted = { ...values, f0: 'y'.repeat(4_300), [`f${count - 1}`]: 'z'.repeat(9_000) };
      expect([changed.status, emptied.status, deleted.status, restored.status]).toEqual([
        200, 200, 204, 200,
      ]);
      expect(read.body).toMatchObject(wanted);
      expect(contentOf(listed)[0]).toMatchObject(wanted);
      expect(rest.body).toMatchObject({ f1: 'short' });
      expect(rest.body).not.toHaveProperty('f0');
      expect(purged.map(({ status }) => status)).toEqual([204, 204]);
    },
  );

  it('of more bytes than a transaction is stored as well', async () => {
    const api = await anApiOf(fields(40, longText));
    const values = fields(40, (at) => String(at).padEnd(140_000, 'x'));

    const made = await api.post(THINGS, values);
    const part = await api.get(`${THINGS}/${String(made.body.id)}?fields=f0,f39`);

    expect(made.status, made.text.slice(0, 300)).toBe(201);
    expect(part.body).toMatchObject({ f0: values.f0, f39: values.f39 });
  });

  it('is limited to what can be read as a whole', async () => {
    const api = await anApiOf(fields(4, longText));
    const { id } = (await api.post(THINGS, {})).body;
    const answers = [];
    for (const field of ['f0', 'f1', 'f2', 'f3'])
      answers.push(await api.put(`${THINGS}/${id}`, { [field]: 'x'.repeat(4_500_000) }));

    expect(answers.map(({ status }) => status)).toEqual([200, 422, 422, 400]);
    expect(answers[1]?.body.detail).toContain('has been carried out');
    expect(answers[3]?.body).toMatchObject({ errors: [{ pointer: '/f0', code: 'TOO_LONG' }] });
  });
});

describe('the columns of a file', () => {
  it('of a spreadsheet that shows references are limited, and the parameter is named', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 490 }, (_, at) => ['w'.repeat(60) + at, longText]),
    );
    const to = { type: 'string', 'x-reference': { entity: 'thing' } };
    const api = await anApiOf(wide);
    const uiSchemaJson = { type: 'object', properties: fields(8, to) };
    await api.define({ code: 'other', name: 'O', apiPath: 'others', uiSchemaJson });
    const path = `${RECORDS}/others/export?format=csv&expand=`;

    const few = await api.get(`${path}f0,f1`);
    const many = await api.get(path + Object.keys(fields(8, to)).join());

    expect(few.status).toBe(200);
    expect(many).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'expand', code: 'TOO_MANY' }] },
    });
  });

  it('that is imported are named in a line of at most 200 KB', async () => {
    const api = await anApiOf({ name: text });
    const head = `name,${'c'.repeat(200_000)}`;
    const body = Buffer.from(`${head}\n${'n\n'.repeat(600)}`);
    const headers = { 'content-type': 'text/csv' };

    const answer = await api.post(`${THINGS}/import`, body, { headers });

    expect(answer).toMatchObject({ status: 400, body: { code: 'IMPORT_INVALID' } });
    expect(answer.body.detail).toContain('at most 200000');
  });
});

describe('a change of more rows than an item lists', () => {
  it('takes all of them away', async () => {
    const many = { type: 'array', items: { type: 'string' } };
    const api = await anApiOf(fields(60, many));
    const values = fields(60, (field) =>
      Array.from({ length: 50 }, (_, at) => noise(field * 50 + at, 250)),
    );
    const made = await api.post(THINGS, values);
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    const changed = await api.put(`${THINGS}/${String(made.body.id)}`, fields(60, ['a']));

    const old = await api.get(`${THINGS}?f59=${values.f59?.[49]}`);
    const now = await api.get(`${THINGS}?f59=a`);
    const { items } = await api.context.table.query({
      partition: 'DYN_FIELD_VALUE#thing#f59#0',
      limit: 100,
    });

    expect(changed.status, changed.text.slice(0, 300)).toBe(200);
    expect([contentOf(old).length, contentOf(now).length, items.length]).toEqual([0, 1, 1]);
  }, 60_000);
});
