import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WORD_INDEX } from '../../../../functions/entities/domain/definitions/indexes.ts';
import {
  laneGroups,
  laneOf,
  lanesOf,
} from '../../../../functions/entities/domain/records/lanes.ts';
import { keysEqual } from '../../../../functions/entities/domain/search/ranges.ts';
import { wordsOf } from '../../../../functions/entities/domain/values/folding.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const LANES = 76;
const index = `${WORD_INDEX}@3`;
const aWord = fc
  .oneof(fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), fc.stringMatching(/^[a-z]+$/))
  .map((text) => wordsOf([text])[0] ?? 'a');
const shards = fc.constantFrom(1, 2, 16);

describe('lanes of an index of words', () => {
  it('hold every word that begins as another, and those that equal it', () => {
    fc.assert(
      fc.property(aWord, fc.nat(), shards, fc.uuid(), (word, length, count, id) => {
        const prefix = [...word].slice(0, 1 + (length % word.length)).join('');
        const lane = laneOf({ index, key: word }, id, count);

        const range = { from: prefix, to: `${prefix}\u{10ffff}` };
        expect(lanesOf(index, count, range)).toContain(lane);
        expect(lanesOf(index, count, { ...range, from: `${prefix} ` })).toContain(lane);
        expect(lanesOf(index, count, keysEqual(word))).toContain(lane);
        expect(lanesOf(index, count)).toContain(lane);
        expect(laneGroups(index, count, range).flat()).toEqual(lanesOf(index, count, range));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it.each([
    ['two letters are read in one', { from: 'ng', to: 'ng\u{10ffff}' }, 1],
    ['a word is read in one', keysEqual('a'), 1],
    ['a single letter is read in two', { from: 'n', to: 'n\u{10ffff}' }, 2],
    ['all is read in every one', { from: '!', to: '\u{10ffff}' }, LANES],
  ])('%s', (_what, range, count) => {
    expect(new Set(lanesOf(index, 1, range)).size).toBe(count);
  });

  it('are those of the shards for every other index, also for words of the former form', () => {
    expect([lanesOf('name', 4), lanesOf('~w', 2), lanesOf('~w@7', 1)]).toEqual([
      ['0', '1', '2', '3'],
      ['0', '1'],
      ['0'],
    ]);
  });
});

const text = { type: 'string' };
const NAMES = ['Nguyễn Văn An', 'Trần Vũ Nam', 'Vi Na', 'a', '1 22 333', '北京 ndn', 'O’Neil'];

async function withPeople(options: object) {
  const api = anEntitiesApi();
  const define = { code: 'person', name: 'Person', options };
  const properties = { name: text, note: text };
  await api.define({ ...define, uiSchemaJson: { type: 'object', properties } });
  for (const name of NAMES) await api.post(`${RECORDS}/person`, { name, note: `${name} noted` });
  return {
    ...api,
    wordRows: () =>
      api.context.db
        .items()
        .filter(({ pk }) => String(pk).startsWith(`DYN_FIELD_VALUE#person#${WORD_INDEX}`)),
    search: (properties: object) =>
      api.put(`${DEFINITIONS}/code/person/schema`, { type: 'object', properties }),
  };
}

describe.each([1, 4])('words of records in %i shards', (count) => {
  it.each(['n', 'v', 'na', 'nguyen', 'a', '1', '2', '北', 'x', 'n v', 'v a n'])(
    'are found by %s',
    async (q) => {
      const { get } = await withPeople({ shards: count });
      const wanted = wordsOf([q]);

      const found = contentOf(await get(`${RECORDS}/person?q=${encodeURIComponent(q)}`));

      const expected = NAMES.filter((name) =>
        wanted.every((word) => wordsOf([name]).some((own) => own.startsWith(word))),
      );
      expect(found.map(({ name }) => name).sort()).toEqual(expected.sort());
    },
  );

  it('are gone when they are not searched any more, and when the entity is purged', async () => {
    const { search, runJobs, wordRows, remove, get } = await withPeople({ shards: count });
    const before = wordRows().length;

    await search({ name: text, note: { ...text, 'x-search': true } });
    await runJobs();
    const after = wordRows();
    const found = contentOf(await get(`${RECORDS}/person?q=noted`));
    await remove(`${DEFINITIONS}/code/person?force=true&purge=true`);
    await runJobs();

    expect(new Set(after.map(({ pk }) => String(pk).split('#')[2]))).toEqual(
      new Set([`${WORD_INDEX}@2`]),
    );
    expect([found.length, after.length > before, wordRows()]).toEqual([NAMES.length, true, []]);
  });

  it('are found to be stray by a recount', async () => {
    const { context, wordRows, post, runJobs } = await withPeople({ shards: count });
    const rows = wordRows();
    const stray = { ...rows[0], sk: 'nobody\u001f01890000-0000-7000-8000-000000000000' };
    context.db.load([stray as never]);

    await post(`${DEFINITIONS}/code/person/recount`);
    await runJobs();

    expect(wordRows()).toHaveLength(rows.length);
  });
});
