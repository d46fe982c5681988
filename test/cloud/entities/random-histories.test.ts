import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { saveAesKey } from '../../helpers/cloud/save-aes-key.ts';
import {
  anyOf,
  changedForm,
  conversionOf,
  converted,
  FIRST_FORM,
  type Form,
  isFacet,
  isSearchable,
  schemaOf,
} from '../../helpers/schema-histories/fields.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';

const DEFINITIONS = '/api/v1/entity-definitions';
/** Time after which every environment works with a new form. */
const KNOWN_MS = 5_500;
type Values = Readonly<Record<string, unknown>>;

/** A record with the values that it must show; `undefined`: none. */
type Expected = Map<string, Values>;

/** An entity whose form changes at random while records are written. */
class RandomEntity {
  readonly #api: ApiClient;
  readonly #random: () => number;
  readonly #code = `thing-${randomUUID().slice(0, 8)}`;
  readonly #records: Expected = new Map();
  readonly #jobs = new Set<string>();
  #form: Form = FIRST_FORM;
  readonly log: string[] = [];

  constructor(api: ApiClient, seed: number) {
    this.#api = api;
    this.#random = seededRandom(seed);
  }

  get #path(): string {
    return `/api/v1/dynamic/${this.#code}`;
  }

  async play(changes: number): Promise<void> {
    const body = { code: this.#code, name: 'Thing', uiSchemaJson: schemaOf(this.#form) };
    expect((await this.#api.post(DEFINITIONS, { body })).status).toBe(201);
    for (let at = 0; at < 5; at += 1) await this.#write();
    for (let at = 0; at < changes; at += 1) {
      await this.#change(at + 2);
      await this.#write();
      await this.#rewrite();
      await sleep(KNOWN_MS);
      await this.#check();
    }
    for (const id of this.#jobs) await this.#ended(id);
    await this.#check();
  }

  async #change(next: number): Promise<void> {
    const form = changedForm(this.#form, this.#random, next);
    const path = `${DEFINITIONS}/code/${this.#code}/schema`;
    const { status, body } = await this.#api.put(path, { body: schemaOf(form) });
    this.log.push(`${status} ${JSON.stringify(schemaOf(form))}`);
    if (status !== 200) return;
    const conversion = conversionOf(this.#form, form);
    for (const [id, values] of this.#records) this.#records.set(id, converted(values, conversion));
    for (const { id } of body.jobs) this.#jobs.add(id);
    this.#form = form;
  }

  /** A value for every field, so that any environment that knows an older form must look for the new one. */
  #body(): Values {
    const values = this.#form.fields.map(({ code, kind }) => [code, anyOf(kind, this.#random)]);
    return { name: `r${this.#records.size}`, ...Object.fromEntries(values) };
  }

  async #write(): Promise<void> {
    const sent = this.#body();
    const { status, body } = await this.#api.post(this.#path, { body: sent });
    this.log.push(`create ${status} ${JSON.stringify(sent).slice(0, 200)}`);
    if (status === 201) this.#records.set(body.id, sent);
  }

  async #rewrite(): Promise<void> {
    const [id, before] = [...this.#records][0] ?? [];
    const sent = this.#body();
    const { status } = await this.#api.put(`${this.#path}/${id}`, { body: sent });
    this.log.push(`change ${status} ${JSON.stringify(sent).slice(0, 200)}`);
    if (status === 200 && id !== undefined) this.#records.set(id, { ...before, ...sent });
  }

  async #ended(id: string): Promise<void> {
    for (let turn = 0; turn < 240; turn += 1) {
      const { body } = await this.#api.get(`${DEFINITIONS}/code/${this.#code}/jobs/${id}`);
      if (body.state !== 'WAITING' && body.state !== 'RUNNING') return;
      await sleep(500);
    }
    throw new Error(`Job ${id} does not end`);
  }

  /** What a record shows of the values that it has. */
  #shown(values: Values): Values {
    const codes = ['name', ...this.#form.fields.map(({ code }) => code)];
    return Object.fromEntries(
      codes.flatMap((code) => (code in values ? [[code, values[code]]] : [])),
    );
  }

  /** Compares lists, filters, counts, orders and counts by value with all records. */
  async #check(): Promise<void> {
    const all = new Map([...this.#records].map(([id, values]) => [id, this.#shown(values)]));
    expect(await this.#list({})).toEqual(all);
    for (const field of this.#form.fields.filter(isSearchable)) {
      const { code, kind } = field;
      if (kind !== 'list') expect(await this.#list({ sort: code })).toEqual(all);
      const value = [...all.values()].find((values) => code in values)?.[code];
      if (value === undefined) continue;
      const wanted = Array.isArray(value) ? value[0] : value;
      const fits = (values: Values): boolean => [values[code]].flat().includes(wanted);
      const some = new Map([...all].filter(([, values]) => fits(values)));
      const filter = { [`${code}[eq]`]: String(wanted) };
      expect(await this.#list(filter)).toEqual(some);
      const query = { ...filter, count: 'exact' };
      expect((await this.#api.get(`${this.#path}/count`, { query })).body.count).toBe(some.size);
    }
    for (const { code } of this.#form.fields.filter(isFacet)) {
      const { body } = await this.#api.get(`${this.#path}/facets`, { query: { fields: code } });
      const counts = Map.groupBy(all.values(), (values) => values[code] ?? null);
      const expected = [...counts].map(([value, some]) => `${value}: ${some.length}`);
      const actual = body[code].map(
        (each: { value: unknown; count: number }) => `${each.value}: ${each.count}`,
      );
      expect(actual.sort()).toEqual(expected.sort());
    }
  }

  /** The records of a list, which must have the total that it says. */
  async #list(query: Readonly<Record<string, string>>): Promise<Expected> {
    const { body, text } = await this.#api.get(this.#path, {
      query: { ...query, size: 200, consistent: true },
    });
    const content: readonly (Values & { readonly id: string })[] = body.content ?? [];
    const isTotal = body.totalRelation !== 'eq' || body.totalElements === content.length;
    expect(isTotal, text.slice(0, 300)).toBe(true);
    return new Map(content.map((record) => [record.id, this.#shown(record)]));
  }
}

it('random changes of forms in a row leave what looking at every record finds', async () => {
  const token = await cloud.token({ sub: 'mai', roles: ['admin'] });
  const api = createApiClient({ baseUrl: cloud.baseUrl, token });
  await saveAesKey(api);
  const seeds = Array.from({ length: 4 }, () => randomInt(1_000_000_000));

  const failed = await Promise.all(
    seeds.map(async (seed) => {
      const entity = new RandomEntity(api, seed);
      const found = await entity.play(2).then(
        () => undefined,
        (error: Error) => `seed ${seed}: ${error.stack}\n${entity.log.join('\n')}`,
      );
      return found;
    }),
  );

  expect(failed.filter(Boolean)).toEqual([]);
});
