import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;

/** Letters as people and programs write them: composed, decomposed, blank, outside the basic plane, control. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      'ễ',
      'e\u0302\u0303',
      'Đ',
      'đ',
      ' ',
      '\t',
      '\u00a0',
      '\u0000',
      '😀',
      'I',
      'İ',
      "'",
    ),
    maxLength: 40,
  }),
);
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  // JSON has no negative zero.
  .map((value) => (value === 0 ? 0 : value));
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt(0n, 10n ** 20n),
    fc.stringMatching(/^(?:\.\d{1,15})?$/),
  )
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction}`);
const name = text.filter((key) => key !== '__proto__');
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

const record = fc.record(
  {
    name: text,
    city: text,
    notes: text,
    amount: number,
    priority: fc.maxSafeInteger(),
    price: decimal,
    active: fc.boolean(),
    tags: fc.array(text, { maxLength: 5 }),
    extra: json.object,
  },
  { requiredKeys: ['name'] },
);

/** The values that the first entry of a history tells. */
const historyOf = (answer: Parameters<typeof contentOf>[0]) => {
  const [entry] = contentOf(answer) as readonly { changes: { field: string; after: unknown }[] }[];
  return Object.fromEntries(entry?.changes.map(({ field, after }) => [field, after]) ?? []);
};

describe('a record', () => {
  it('comes back as it was sent: numbers, decimals, blanks, composed and decomposed letters', async () => {
    const { define, post, get } = anEntitiesApi();
    await define(aCustomerEntity({ options: { history: true, events: 'full' } }));

    await fc.assert(
      fc.asyncProperty(record, async (sent) => {
        const made = await post(CUSTOMERS, sent);
        expect(made.status, made.text).toBe(201);
        const { id } = made.body;
        const system = {
          id,
          version: 1,
          createdBy: expect.any(String),
          updatedBy: expect.any(String),
        };
        const whole = {
          ...sent,
          ...system,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        };

        expect(made.body).toEqual(whole);
        expect((await get(`${CUSTOMERS}/${id}`)).body).toEqual(whole);
        expect(historyOf(await get(`${CUSTOMERS}/${id}/history`))).toEqual(sent);
        expect(contentOf(await get(`${CUSTOMERS}?id=${id}`))).toEqual([whole]);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it.each(['csv', 'json', 'ndjson'])(
    'is the same after an export as %s and an import into an empty entity',
    async (format) => {
      const { define, post, get } = anEntitiesApi();
      await define(aCustomerEntity());
      await define(aCustomerEntity({ code: 'copy', apiPath: 'copies' }));
      const sent = fc.sample(record, 120);
      const { body } = await post(`${CUSTOMERS}/bulk`, {
        operations: sent.map((data) => ({ op: 'create', data })),
      });
      expect(body.results).not.toContainEqual(expect.objectContaining({ status: 400 }));

      const file = await get(`${CUSTOMERS}/export?format=${format}`);
      const outcome = await post(`${RECORDS}/copy/import?format=${format}`, file.text, {
        headers: {
          'content-type': format === 'json' ? 'application/json' : 'application/octet-stream',
        },
      });
      const [one, other] = [
        await get(`${CUSTOMERS}/export?format=json`),
        await get(`${RECORDS}/copy/export?format=json`),
      ];

      expect(outcome.body, outcome.text.slice(0, 500)).toMatchObject({ created: 120, failed: 0 });
      expect(JSON.parse(other.text)).toEqual(JSON.parse(one.text));
    },
    60_000,
  );
});
