import { isDeepStrictEqual } from 'node:util';
import type { FieldDefinition } from '../../../functions/entities/domain/entity/field.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { anyOf, type Field, isFacet, isSearchable, isUnique, valuesOf } from './fields.ts';
import type { History } from './history.ts';
import { randomOf } from './random.ts';
import { ENTITY, principal, type Services } from './world.ts';

const fold = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('đ', 'd').toLowerCase()
    : value;
/** Words of long texts. */
const WORDS = ['apple', 'pear', 'needle', 'fig', 'lime'];
const sorted = (ids: Iterable<string>): string[] => [...ids].sort();

/** Compares everything that callers see of an entity with all its records. */
export class Checks {
  readonly #history: History;
  readonly #services: Services;
  readonly #values: ReadonlyMap<string, Readonly<Record<string, unknown>>>;

  constructor(history: History) {
    this.#history = history;
    this.#services = history.world.fresh();
    this.#values = new Map(history.live().map((record) => [record.id, history.valuesOf(record)]));
  }

  async all(): Promise<void> {
    await this.details();
    await this.#lists(this.#fields());
    for (const field of this.#fields()) await this.#field(field);
    await this.#facets(this.#fields().filter(isFacet));
    await this.#export();
    await this.#words();
    if (this.#history.isWide) await this.#ties();
  }

  /** A few of them, while anything goes on. */
  async some(random: () => number): Promise<void> {
    await this.details();
    const field = randomOf(this.#fields(), random);
    if (!field) return;
    await this.#lists([field]);
    await this.#field(field);
    await this.#facets(isFacet(field) ? [field] : []);
    await this.#export();
    await this.#words();
  }

  #fields(): readonly Field[] {
    return this.#history.form.fields;
  }

  /** Values of the fields of the form. */
  #shown(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const codes = ['name', 'friend', ...this.#fields().map(({ code }) => code)];
    return Object.fromEntries(
      codes.filter((code) => code in record).map((code) => [code, record[code]]),
    );
  }

  #same(what: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    const text = (value: unknown): string =>
      JSON.stringify(value)
        ?.replace(/l{99,}/g, 'l..')
        .replace(/(\w+ )\1{9,}/g, '$1..') ?? '';
    throw new Error(`${what}: ${text(actual)} instead of ${text(expected)}`);
  }

  async details(): Promise<void> {
    const { catalog, recordReader } = this.#services;
    for (const record of this.#history.records.values()) {
      const { header } = await catalog.withEntity(ENTITY, (model) =>
        recordReader.get(model, record.id, principal, true),
      );
      const expected = this.#shown(this.#history.valuesOf(record));
      this.#same(`record ${record.id.slice(-4)}`, this.#shown(header.values), expected);
    }
  }

  #matching(isMatch: (values: Readonly<Record<string, unknown>>) => boolean): string[] {
    return sorted([...this.#values].filter(([, values]) => isMatch(values)).map(([id]) => id));
  }

  /** All pages of a list, and its total. */
  async #list(
    parameters: Readonly<Record<string, string>>,
    deleted: 'exclude' | 'only' = 'exclude',
  ) {
    const { catalog, queryService, recordReader } = this.#services;
    const found: { readonly id: string; readonly values: Readonly<Record<string, unknown>> }[] = [];
    let total: number | null = null;
    let cursor: string | undefined;
    do {
      const page = await catalog.withEntity(ENTITY, async (model) => {
        const call = { parameters, deleted, size: 7, ...(cursor !== undefined && { cursor }) };
        const answer = await queryService.list(model, call, principal);
        const open = answer.page.content.map((header) => recordReader.decrypted(model, header));
        return { ...answer.page, content: await Promise.all(open) };
      });
      total ??= page.totalRelation === 'eq' ? page.totalElements : null;
      found.push(...page.content);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return { found, ids: sorted(found.map(({ id }) => id)), total };
  }

  async #lists(fields: readonly Field[]): Promise<void> {
    const all = this.#matching(() => true);
    const { found, ids, total } = await this.#list({});
    this.#same('list', [ids, total], [all, all.length]);
    for (const { id, values } of found) {
      const expected = this.#shown(this.#values.get(id) ?? {});
      this.#same(`listed ${id.slice(-4)}`, this.#shown(values), expected);
    }
    for (const { code } of fields.filter((field) => isSearchable(field) && field.kind !== 'list')) {
      const list = await this.#list({ sort: code });
      this.#same(`sorted by ${code}`, [list.ids, list.total], [all, all.length]);
      const keys = list.found.map(({ values }) => fold(values[code] ?? null));
      const inOrder = [...keys].sort(byValue);
      this.#same(`order of ${code}`, keys, inOrder);
    }
  }

  async #field(field: Field): Promise<void> {
    if (!isSearchable(field)) return;
    const { code, kind } = field;
    const { catalog, queryService } = this.#services;
    const filters = [
      ...(kind === 'essay' ? WORDS : []).map((word) => ({
        parameters: { [`${code}[contains]`]: word },
        isMatch: (values: Readonly<Record<string, unknown>>) =>
          String(fold(values[code] ?? '')).includes(word),
      })),
      ...(kind === 'essay' ? [] : valuesOf(kind)).map((value) => ({
        parameters: { [`${code}[eq]`]: String(Array.isArray(value) ? value[0] : value) },
        isMatch: (values: Readonly<Record<string, unknown>>) => holds(values[code], value),
      })),
      {
        parameters: { [`${code}[null]`]: 'true' },
        isMatch: (values: Readonly<Record<string, unknown>>) => values[code] === undefined,
      },
    ];
    for (const { parameters, isMatch } of filters) {
      const what = JSON.stringify(parameters);
      const wanted = this.#matching(isMatch);
      const { ids, total } = await this.#list(parameters);
      this.#same(`list ${what}`, [ids, total], [wanted, wanted.length]);
      const { count } = await catalog.withEntity(ENTITY, (model) =>
        queryService.count(model, parameters, principal, 'exact'),
      );
      this.#same(`count ${what}`, count, wanted.length);
    }
  }

  async #facets(fields: readonly Field[]): Promise<void> {
    const codes = fields.map(({ code }) => code);
    if (codes.length === 0) return;
    const { catalog, queryService } = this.#services;
    const { facets } = await catalog.withEntity(ENTITY, (model) =>
      queryService.facets(model, codes, {}, principal),
    );
    for (const code of codes) {
      const expected = new Map<unknown, number>();
      for (const values of this.#values.values()) {
        const value = values[code] ?? null;
        expected.set(value, (expected.get(value) ?? 0) + 1);
      }
      const actual = (facets[code] ?? []).map(({ value, count }) => `${value}: ${count}`);
      const counted = [...expected].map(([value, count]) => `${value}: ${count}`);
      this.#same(`facets of ${code}`, sorted(actual), sorted(counted));
    }
  }

  /** The fields of an export that is an answer: without texts that would make it a job. */
  #exported(): string[] {
    const open = this.#fields().filter(({ encrypted }) => !encrypted);
    const isLarge = JSON.stringify([...this.#values.values()]).length > 3_000_000;
    const shown = open.filter(({ kind }) => !isLarge || kind !== 'essay');
    return ['name', ...(this.#history.isWide ? ['friend'] : []), ...shown.map(({ code }) => code)];
  }

  async #export(): Promise<void> {
    const { catalog, exportService } = this.#services;
    const fields = this.#exported();
    const outcome = await catalog.withEntity(ENTITY, (model) =>
      exportService.export(model, 'ndjson', { fields: fields.join() }, principal),
    );
    if (outcome.kind !== 'file') throw new Error('The export is not a file');
    const open = new Set(fields);
    const lines = outcome.text.split('\n').filter(Boolean);
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    this.#same(
      'exported',
      sorted(records.map(({ id }) => String(id))),
      this.#matching(() => true),
    );
    for (const { id, ...values } of records) {
      const expected = this.#shown(this.#values.get(String(id)) ?? {});
      const visible = Object.entries(expected).filter(([code]) => open.has(code));
      const present = Object.entries(this.#shown(values)).filter(([, value]) => value !== null);
      this.#same(
        `exported ${String(id).slice(-4)}`,
        Object.fromEntries(present),
        Object.fromEntries(visible),
      );
    }
  }

  /** What refers to each record, and the tree. */
  async #ties(): Promise<void> {
    const { catalog, treeService } = this.#services;
    for (const id of this.#values.keys()) {
      const { ids } = await this.#list({ friend: id });
      this.#same(
        `friends of ${id.slice(-4)}`,
        ids,
        this.#matching(({ friend }) => friend === id),
      );
    }
    const { nodes } = await catalog.withEntity(ENTITY, (model) =>
      treeService.tree(model, { maxNodes: 1_000 }, principal),
    );
    const actual: string[] = [];
    const visit = (all: typeof nodes, above: string): void => {
      for (const { id, children } of all) {
        actual.push(`${above}/${id}`);
        visit(children ?? [], id);
      }
    };
    visit(nodes, '');
    const places = this.#history.live().map(({ id, parentId = '' }) => `${parentId}/${id}`);
    this.#same('tree', sorted(actual), sorted(places));
  }

  /** Words of the label, or of the fields that are searched. */
  async #words(): Promise<void> {
    const fields = this.#fields().filter((f) => f.words && f.kind === 'text' && !f.encrypted);
    const codes = fields.length > 0 ? fields.map(({ code }) => code) : ['name'];
    for (const word of fields.length > 0 ? ['an', 'zeta', 'one'] : ['r1', 'r3']) {
      const wanted = this.#matching((values) =>
        codes.some((code) =>
          String(fold(values[code] ?? ''))
            .split(' ')
            .some((each) => each.startsWith(word)),
        ),
      );
      const { ids } = await this.#list({ q: word });
      this.#same(`q=${word}`, ids, wanted);
    }
  }

  /** Whether each unique value is taken exactly when a live record has it. Ends with a write for each free one. */
  async uniques(): Promise<void> {
    const { catalog, recordService, definitionService } = this.#services;
    const { uniques } = await definitionService.get(ENTITY);
    for (const field of this.#fields().filter(isUnique)) {
      const constraint = uniques.find(({ name }) => name === field.code);
      if (constraint?.state !== 'READY') continue;
      for (const value of valuesOf(field.kind)) {
        const isTaken = [...this.#values.values()].some(
          (values) => fold(values[field.code]) === fold(value),
        );
        const others = this.#fields()
          .filter(({ code, required }) => required && code !== field.code)
          .map(({ code, kind }) => [code, anyOf(kind, this.#history.random)]);
        const body = { name: 'try', ...Object.fromEntries(others), [field.code]: value };
        const fields = await catalog
          .withEntity(ENTITY, async (model) => {
            const made = await recordService.create(model, body, principal);
            await this.#services.deletionService.delete(model, made.header.id, principal, {
              purge: true,
            });
            return undefined;
          })
          .catch((error: unknown) => {
            if (error instanceof Problem && error.code === 'UNIQUE_VIOLATION')
              return JSON.stringify(error.extensions);
            throw error;
          });
        const isRefused = fields?.includes(`"${field.code}"`) ?? false;
        const isOther = fields !== undefined && !isRefused;
        if (!isOther) this.#same(`${field.code}=${value} is taken (${fields})`, isRefused, isTaken);
      }
    }
  }

  /** Nothing is stored beside what the definition and the records ask for. */
  async stored(): Promise<void> {
    const items = this.#history.world.context.db.items();
    const definition = await this.#services.definitionService.get(ENTITY);
    const { life } = definition;
    if (!life) throw new Error('The definition has no life');
    this.#same('queue', [life.builds, life.steps], [[], []]);
    const names = new Set(['_id', ...definition.indexes.map(({ name }) => name)]);
    const left = items.flatMap(({ pk }) => {
      const [, , name = ''] = /^DYN_FIELD_VALUE#thing#(.*)#[\da-z]+$/.exec(String(pk))
        ? String(pk).split('#')
        : [];
      return name !== '' && !names.has(name) ? [String(pk)] : [];
    });
    this.#same('left-over indexes', [...new Set(left)], []);
    const records = items.filter(({ type, sk }) => type === 'DYN_RECORD' && sk === 'R');
    this.#same('records', records.length, this.#history.records.size);
    for (const index of definition.indexes.filter(({ kind }) => kind === 'field')) {
      const [code = ''] = index.fields;
      const isMany = definition.fields.find((field) => field.code === code)?.fieldType === 'MULTI';
      const rows = items.filter(({ pk }) =>
        String(pk).startsWith(`DYN_FIELD_VALUE#thing#${index.name}#`),
      );
      const ids = sorted(new Set(rows.map(({ sk }) => String(sk).split('\u001f')[1] ?? '')));
      this.#same(
        `rows of ${index.name}`,
        ids,
        this.#matching(() => true),
      );
      if (!isMany) this.#same(`number of rows of ${index.name}`, rows.length, ids.length);
    }
    const counters = new Map<string, number>();
    for (const item of items.filter(
      ({ pk }) => String(pk).split('#', 2).join('#') === 'DYN_COUNTER#thing',
    )) {
      for (const [name, count] of Object.entries(item)) {
        if (name !== 'pk' && name !== 'sk')
          counters.set(name, (counters.get(name) ?? 0) + Number(count));
      }
    }
    const total = life.totals.since === 1 ? 'n' : `n@${life.totals.since}`;
    this.#same(`counter ${total}`, counters.get(total) ?? 0, this.#values.size);
    const own = new Set(Object.values(life.counters).map(({ name }) => name));
    const dead = [...counters.keys()].filter(
      (name) => name.includes('=') && !own.has(name.split('=')[0] ?? ''),
    );
    this.#same('left-over counters', dead, []);
    this.#claims(definition.uniques, items);
    this.#secrets(definition, items);
    this.#parts(items);
    await this.#trash();
    await this.#histories(items);
  }

  /** Values beside their records: those that records name, and no others. */
  #parts(items: readonly Readonly<Record<string, unknown>>[]): void {
    const { storage } = this.#history.world;
    const secret = new Set(this.#fields().flatMap((f) => (f.encrypted ? [f.code] : [])));
    const isOf = ({ pk }: Readonly<Record<string, unknown>>) =>
      String(pk).startsWith('DYN_RECORD#thing#');
    const parts = items.filter(
      (item) => isOf(item) && String(item.sk).startsWith('DYN_FIELD_VALUE#'),
    );
    const nameOf = (sk: unknown): string => String(sk).slice('DYN_FIELD_VALUE#'.length);
    const named = items
      .filter((item) => isOf(item) && item.sk === 'R')
      .flatMap(({ pk, spilled = [] }) => (spilled as string[]).map((name) => `${pk} ${name}`));
    this.#same('parts', sorted(parts.map(({ pk, sk }) => `${pk} ${nameOf(sk)}`)), sorted(named));
    const objects = parts.flatMap(({ object }) => (object ? [String(object)] : []));
    this.#same('objects', sorted(storage.files.keys()), sorted(objects));
    for (const { pk, sk, text, object } of parts) {
      const stored = text ?? Buffer.from(storage.files.get(String(object)) ?? '');
      const value: unknown = JSON.parse(String(stored));
      const values = nameOf(sk) === '~more' ? value : { [nameOf(sk)]: value };
      this.#sealed(`${pk} ${nameOf(sk)}`, values as Record<string, unknown>, secret);
    }
    const work = items.filter(({ pk }) => /^DYN_(OPEN_WORK|ROW_JOURNAL)/.test(String(pk)));
    this.#same('open work', work, []);
  }

  async #trash(): Promise<void> {
    const { ids } = await this.#list({}, 'only');
    const deleted = [...this.#history.records.values()].filter(({ isLive }) => !isLive);
    this.#same('trash', ids, sorted(deleted.map(({ id }) => id)));
  }

  /** Each version of each record that is left, and of no other. */
  async #histories(items: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    const entries = new Map<string, number>();
    for (const { pk } of items.filter(({ type }) => type === 'DYN_HISTORY')) {
      const id = String(pk).split('#')[2] ?? '';
      entries.set(id, (entries.get(id) ?? 0) + 1);
    }
    const wanted = [...this.#history.records.values()].map(({ id, version }) => `${id} ${version}`);
    this.#same(
      'history',
      sorted([...entries].map(([id, count]) => `${id} ${count}`)),
      sorted(wanted),
    );
  }

  #claims(
    uniques: readonly { readonly name: string; readonly since?: number; readonly state: string }[],
    items: readonly Readonly<Record<string, unknown>>[],
  ): void {
    const known = new Set(
      uniques.map(({ name, since = 1 }) => (since === 1 ? name : `${name}@${since}`)),
    );
    const claims = items.filter(({ pk }) => String(pk).startsWith('DYN_UNIQUE#thing#'));
    const left = claims.filter(({ pk }) => !known.has(String(pk).split('#')[2] ?? ''));
    this.#same(
      'left-over claims',
      left.map(({ pk }) => pk),
      [],
    );
    for (const { pk, rid } of claims) {
      this.#same(`claim ${pk} of a live record`, this.#values.has(String(rid)), true);
    }
  }

  /** No value of an encrypted field is stored in the clear. */
  #secrets(
    definition: { readonly fields: readonly FieldDefinition[] },
    items: readonly Readonly<Record<string, unknown>>[],
  ): void {
    const secret = new Set(
      this.#fields()
        .filter(({ encrypted }) => encrypted)
        .map(({ code }) => code),
    );
    // What a field that is not encrypted was called before is told under that name.
    const moved = new Set(
      definition.fields.flatMap(({ encrypted, formerCodes = [] }) =>
        encrypted ? [] : formerCodes,
      ),
    );
    for (const item of items) {
      const { type, sk, pk } = item;
      if (type === 'DYN_RECORD' && sk === 'R')
        this.#sealed(String(pk), JSON.parse(String(item.v)), secret);
      const spilled = /^DYN_FIELD_VALUE#(.+)$/.exec(String(sk))?.[1];
      if (spilled && secret.has(spilled) && 'text' in item) {
        this.#same(`large ${pk}`, String(item.text).startsWith('"enc:v1:'), true);
      }
      if (type === 'DYN_HISTORY') {
        const changes = JSON.parse(String(item.changes)) as { field: string }[];
        const shown = changes.filter(({ field }) => secret.has(field) && !moved.has(field));
        this.#same(`history ${pk}`, shown, []);
      }
    }
  }

  #sealed(
    pk: string,
    values: Readonly<Record<string, unknown>>,
    secret: ReadonlySet<string>,
  ): void {
    for (const [code, value] of Object.entries(values)) {
      const isCipher = String(value).startsWith('enc:v1:');
      const field = this.#fields().find((each) => each.code === code);
      if (field) this.#same(`${code} of ${pk} is sealed`, isCipher, secret.has(code));
    }
  }
}

function byValue(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return (one as string) < (other as string) ? -1 : 1;
}

function holds(present: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(present) && present.includes(wanted[0]);
  return present === wanted;
}
