import { seededRandom } from '../../../../helpers/seeded-random.ts';
import { factsOf } from '../../attachments/deals.ts';
import { storeEncryptionKey } from '../../encryption-key.ts';
import { type EntitiesApi, RECORDS } from '../../entities-api.ts';
import { withEntities } from '../two-entities.ts';

export const PARTS = `${RECORDS}/part`;
const TEAMS = `${RECORDS}/team`;

const idOf = (number: number): string =>
  `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const team = (number: number): string => idOf(100 + number);
const stored = (number: number): string => idOf(200 + number);
const ofRow = (number: number): string => idOf(1_000 + number);
const ABSENT = idOf(999);
const TRASHED = stored(3);

const text = { type: 'string' };

/** Records that rows of files may share values with, in an entity whose options the seed says. */
export async function aRandomStock(seed: number) {
  const api = await withEntities();
  await storeEncryptionKey(api.context);
  const named = { type: 'object', properties: { name: text } };
  await api.define({ code: 'team', name: 'Team', uiSchemaJson: named });
  for (const number of [0, 1, 2]) await api.post(TEAMS, { id: team(number), name: 't' });
  const defined = await api.define({
    ...{ code: 'part', name: 'Part', hierarchical: seed % 2 === 0 },
    options: { history: seed % 5 === 0 },
    uiSchemaJson: {
      type: 'object',
      ...(seed % 3 === 0 ? { required: ['name'] } : {}),
      'x-unique': [['a', 'b']],
      properties: {
        name: text,
        code: { type: 'string', 'x-unique': true },
        a: text,
        b: text,
        team: { type: 'string', 'x-reference': { entity: 'team' } },
        near: { type: 'string', 'x-reference': { entity: 'part' } },
        parts: { type: 'array', items: { type: 'string', 'x-reference': { entity: 'part' } } },
        count: { type: 'integer', maximum: 5 },
        note: { type: 'string', maxLength: 20 },
        secret: { type: 'string', 'x-encrypted': true },
        text,
        doc: { type: 'string', format: 'file', 'x-file': {} },
        scan: { type: 'string', format: 'file', 'x-file': { maxBytes: 3 } },
        ...(seed % 7 === 0 ? { number: { type: 'string', 'x-number': 'P{0000}' } } : {}),
      },
    },
  });
  if (defined.status !== 201) throw new Error(defined.text);
  for (const number of [0, 1, 2, 3]) {
    const body = {
      name: `r${number}`,
      code: `c${number}`,
      a: `a${number}`,
      b: 'b',
      secret: 'of a record',
    };
    const made = await api.post(PARTS, { id: stored(number), ...body });
    if (made.status !== 201) throw new Error(made.text);
  }
  await api.remove(`${PARTS}/${TRASHED}`);
  const files: string[] = [];
  for (const field of ['doc', 'doc', 'scan']) files.push(await uploaded(api, field));
  return { ...api, files };
}

/** Announces a file for a field, and uploads it. @returns its id */
async function uploaded(api: EntitiesApi, field: string): Promise<string> {
  const facts = { ...factsOf('abc'), fileName: 'a.txt', contentType: 'text/plain' };
  const announced = await api.post(`${PARTS}/files/uploads`, { field, ...facts });
  const { url, headers } = announced.body.upload as { url: string; headers: object };
  const path = url.replace('http://api.example.com', '');
  const sent = { method: 'PUT', path, headers: { ...headers }, caller: null };
  const { status, text: why } = await api.call({ ...sent, body: Buffer.from('abc') });
  if (status >= 300) throw new Error(why);
  return String(announced.body.id);
}

type Row = Record<string, unknown>;
type Pick = <T>(items: readonly T[]) => T;

/** Values of fields, and in which part of the rows they are. */
function valuesOf(
  count: number,
  files: readonly string[],
  pick: Pick,
): readonly [string, number, (at: number) => unknown][] {
  const anyRow = (): string => ofRow(Math.floor(pick(range(count))));
  const anyRecord = (): string =>
    pick([stored(0), stored(1), stored(2), TRASHED, ABSENT, anyRow(), anyRow(), anyRow()]);
  const codes = ['c0', 'C1', 'c2', 'c3', 'c8', 'c9', 'Ć8', 'c9', null, 7, ''];
  return [
    ['code', 0.5, (at) => pick([...codes, `d${at % 7}`])],
    ['a', 0.4, () => pick(['a0', 'a1', 'a2', 'z', 'z', null])],
    ['b', 0.4, () => pick(['b', 'b', 'c', null])],
    ['team', 0.3, () => pick([team(0), team(1), ABSENT, 'x', null])],
    ['near', 0.3, anyRecord],
    ['parts', 0.15, () => range(pick([1, 2, 3])).map(anyRecord)],
    ['parts', 0.01, () => range(98).map((part) => idOf(5_000 + part))],
    ['count', 0.2, () => pick([1, 9, 'x'])],
    ['note', 0.1, () => pick(['short', 'x'.repeat(21)])],
    ['text', 0.1, () => pick(['x'.repeat(5_000), 'y'.repeat(310_000)])],
    ['secret', 0.2, () => pick(['one', 'two', 7])],
    ['doc', 0.06, () => pick([...files, ABSENT, 'x', null])],
    ['scan', 0.06, () => pick([...files, null])],
    ['other', 0.05, () => 1],
    ['number', 0.05, () => 'P0001'],
    ['id', 0.4, ofRow],
    ['id', 0.3, () => pick([stored(0), stored(1).toUpperCase(), TRASHED, anyRow(), 'x'])],
    ['parentId', 0.2, () => pick([anyRecord(), anyRecord(), null])],
  ];
}

const range = (count: number): number[] => Array.from({ length: count }, (_each, at) => at);

/** Rows that take values from one another and from records, refer to each other, and break rules: some files more often than others. */
export function randomRows(
  seed: number,
  count: number,
  files: readonly string[] = [],
  density = [1, 0.6, 0.3][Math.floor(seed / 3) % 3] ?? 1,
): Row[] {
  const random = seededRandom(seed);
  const pick: Pick = (items) => items[Math.floor(random() * items.length)] as never;
  const values = valuesOf(count, files, pick);
  const hasTree = seed % 2 === 0;
  return range(count).map((at) => {
    const usual = random() < 0.9 ? { name: `row ${at}` } : {};
    const own = random() > density ? { id: ofRow(at), code: `e${at}` } : {};
    const some = values.filter(([, share]) => random() < share * density);
    const set = some.filter(([code]) => hasTree || code !== 'parentId');
    return {
      ...usual,
      ...own,
      ...Object.fromEntries(set.map(([code, , make]) => [code, make(at)])),
    };
  });
}

/** Imports rows, by a job if they are many, which is looked for so many times. @returns the counts, and the errors in the order of rows and fields */
export async function importRandomly(
  api: Awaited<ReturnType<typeof aRandomStock>>,
  rows: readonly Row[],
  query: string,
  turns = 1,
): Promise<Row> {
  const answer = await api.post(`${PARTS}/import?format=json${query}`, rows);
  for (let turn = 0; turn < turns && answer.status === 202; turn += 1) {
    await api.runJobs();
    if (turn + 1 < turns) api.context.clock.advance(600_000);
    await api.get(String(answer.headers.location));
  }
  const { result = answer.body } =
    answer.status === 202 ? (await api.get(String(answer.headers.location))).body : {};
  const { errors, ...counts } = result as Row & { readonly errors?: readonly Row[] };
  if (!errors) throw new Error(answer.text);
  return {
    ...counts,
    errors: errors.map(({ row, code, field }) => `${row} ${code} ${field ?? ''}`).sort(),
  };
}

export const WAYS = ['', '&mode=upsert&key=code', '&mode=upsert&key=id'];
