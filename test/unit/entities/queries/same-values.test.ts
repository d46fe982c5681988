import { describe, expect, it } from 'vitest';
import { compileValidator } from '../../../../functions/entities/domain/schema/validator.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const COMPOSED = 'Hà Nội'.normalize('NFC');
const DECOMPOSED = COMPOSED.normalize('NFD');
const PLACES = `${RECORDS}/place`;

async function withPlaces() {
  const api = anEntitiesApi();
  const self = { type: 'string', 'x-reference': { entity: 'place' } };
  await api.define({
    code: 'place',
    name: 'Place',
    uiSchemaJson: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        kind: { type: 'string', enum: [DECOMPOSED, 'other'] },
        near: self,
        all: { type: 'array', items: self },
      },
    },
  });
  return api;
}

describe('eq', () => {
  it.each([
    [COMPOSED, DECOMPOSED],
    [DECOMPOSED, COMPOSED],
    [DECOMPOSED, DECOMPOSED],
  ])('finds a text whose letters are composed or not: %j by %j', async (stored, wanted) => {
    const { post, get } = await withPlaces();
    await post(PLACES, { name: stored });
    await post(PLACES, { name: 'Ha Noi' });
    const query = new URLSearchParams({ name: wanted });

    const found = contentOf(await get(`${PLACES}?${query}`));
    const others = contentOf(await get(`${PLACES}?${new URLSearchParams({ 'name[ne]': wanted })}`));

    expect(found.map(({ name }) => name)).toEqual([stored]);
    expect(others.map(({ name }) => name)).toEqual(['Ha Noi']);
  });

  it.each([COMPOSED, DECOMPOSED])('counts the records of a choice written as %j', async (kind) => {
    const { post, get } = await withPlaces();
    await post(PLACES, { kind: DECOMPOSED });

    const page = await get(`${PLACES}?${new URLSearchParams({ kind })}`);

    expect(page.body).toMatchObject({ totalElements: 1, totalRelation: 'eq' });
    expect(contentOf(page)).toHaveLength(1);
  });
});

describe('a reference in upper case', () => {
  it('is stored in lower case and found by both', async () => {
    const { post, get, remove } = await withPlaces();
    const id = String((await post(PLACES, { name: 'a' })).body.id).replace(/^0/, 'a');
    await post(PLACES, { id, name: 'target' });

    const made = await post(PLACES, { near: id.toUpperCase(), all: [id.toUpperCase()] });

    expect(made).toMatchObject({ status: 201, body: { near: id, all: [id] } });
    for (const wanted of [id, id.toUpperCase()]) {
      expect(contentOf(await get(`${PLACES}?near=${wanted}`))).toHaveLength(1);
      expect(contentOf(await get(`${PLACES}?id=${wanted}`))).toHaveLength(1);
    }
    expect((await remove(`${PLACES}/${id}`)).body).toMatchObject({ code: 'REFERENCED' });
  });
});

describe('uniqueItems', () => {
  const validate = compileValidator(
    { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
    '2020-12',
  );

  it('looks at each item a fixed number of times', () => {
    let reads = 0;
    const handler: ProxyHandler<{ a: number }> = {
      ownKeys(target) {
        reads += 1;
        return Reflect.ownKeys(target);
      },
      get(target, name) {
        reads += 1;
        return Reflect.get(target, name);
      },
    };
    const list = Array.from({ length: 1_000 }, (_, a) => new Proxy({ a }, handler));

    expect(validate({ list })).toEqual([]);
    expect(reads).toBeLessThan(10_000);
  });

  it.each([
    [[{ a: 1, b: [2] }, 3, { b: [2], a: 1 }], false],
    [[1, '1', true, null, [], {}, [1], ['1']], true],
    [[0, -0], false],
    [
      [
        [1, 2],
        [2, 1],
      ],
      true,
    ],
  ])('of %j: %s', (list, isValid) => {
    expect(validate({ list }).map(({ pointer, code }) => ({ pointer, code }))).toEqual(
      isValid ? [] : [{ pointer: '/list', code: 'UNIQUE_ITEMS' }],
    );
  });
});

describe('the job of an import', () => {
  it('keeps the claims of the caller no longer than it needs them', async () => {
    const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
    const { define, post, runJobs, context } = anEntitiesApi({ host });
    const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
    await define({ code: 'place', name: 'Place', uiSchemaJson });
    const rows = Array.from({ length: 600 }, (_, at) => ({ name: `n${at}` }));
    const kept = () =>
      context.db
        .items()
        .filter(({ pk, job }) => String(pk).startsWith('DYN_JOB#') && job)
        .map(({ job }) => (job as { input: object }).input);

    await post(`${PLACES}/import`, rows);
    const waiting = kept();
    await runJobs();
    const ended = kept();

    expect(waiting).toMatchObject([{ principal: { claims: {} } }]);
    expect(ended).toHaveLength(1);
    expect(ended[0]).not.toHaveProperty('principal');
  });
});
