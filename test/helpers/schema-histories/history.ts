import { Problem } from '../../../shared/problems/problem.ts';
import { storeEncryptionKey } from '../../unit/entities/encryption-key.ts';
import { seededRandom } from '../seeded-random.ts';
import {
  anyOf,
  type Conversion,
  changedForm,
  conversionOf,
  converted,
  FIRST_FORM,
  type Field,
  type Form,
  LONG_FORM,
  schemaOf,
} from './fields.ts';
import { randomOf } from './random.ts';
import { aWorld, ENTITY, principal, type Services, type World } from './world.ts';

/** A record as it must be: the values that the form of its generation has given it. */
export interface Expected {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly generation: number;
  readonly isLive: boolean;
  readonly version: number;
  readonly parentId?: string;
}

/** A write beside those of single records. */
export type WideWrite = (history: History) => Promise<void>;

/** What has happened to an entity so far. */
export class History {
  readonly world: World;
  readonly random: () => number;
  readonly records = new Map<string, Expected>();
  /** Forms by the generation since which they are in force. */
  readonly forms = new Map<number, Form>();
  readonly #conversions = new Map<number, Conversion>();
  readonly log: string[] = [];
  /** Writes of many records at once, and such that tie records together. */
  readonly #wide: WideWrite | undefined;
  /** Whether there are long texts, and changes that concern fields that are gone. */
  readonly isLong: boolean;
  #made = 0;
  #isBetween = false;

  constructor(seed: number, wide?: WideWrite, isLong = false) {
    this.isLong = isLong;
    this.#wide = wide;
    this.random = seededRandom(seed);
    this.world = aWorld(3);
  }

  /** Whether records refer to each other and have places in a tree. */
  get isWide(): boolean {
    return this.#wide !== undefined;
  }

  get #first(): Form {
    return this.isLong ? LONG_FORM : FIRST_FORM;
  }

  /** Every field that there was, by its code, as it was last. */
  get #past(): ReadonlyMap<string, Field> {
    const forms = [...this.forms].sort(([one], [other]) => one - other);
    return new Map(
      forms.flatMap(([, { fields }]) =>
        fields.map((field): [string, Field] => [field.code, field]),
      ),
    );
  }

  #changed(): Form {
    const past = this.isLong ? [...this.#past.values()] : undefined;
    return changedForm(this.form, this.random, this.generation, past);
  }

  get generation(): number {
    return Math.max(...this.forms.keys());
  }

  get form(): Form {
    return this.forms.get(this.generation) ?? FIRST_FORM;
  }

  formAt(generation: number): Form {
    const since = Math.max(...[...this.forms.keys()].filter((each) => each <= generation));
    return this.forms.get(since) ?? FIRST_FORM;
  }

  /** The values of a record as a generation reads them. */
  valuesOf(record: Expected, generation = this.generation): Readonly<Record<string, unknown>> {
    return [...this.#conversions]
      .filter(([since]) => since > record.generation && since <= generation)
      .sort(([one], [other]) => one - other)
      .reduce((values, [, conversion]) => converted(values, conversion), { ...record.values });
  }

  live(): Expected[] {
    return [...this.records.values()].filter(({ isLive }) => isLive);
  }

  async begin(shards: number): Promise<void> {
    const { context, environments } = this.world;
    await storeEncryptionKey(context);
    const [first] = environments;
    await first?.definitionService.create(
      {
        code: ENTITY,
        name: 'Thing',
        hierarchical: this.isWide,
        uiSchemaJson: this.#schemaOf(this.#first),
        options: { history: true, shards },
      },
      principal,
    );
    this.forms.set(1, this.#first);
  }

  environment(): Services {
    const { environments } = this.world;
    const others = this.#isBetween ? environments.slice(2) : environments.slice(0, 2);
    const found = randomOf(others, this.random);
    if (!found) throw new Error('There is no environment');
    return found;
  }

  /** A write of an environment of its own, while another one is at work. */
  async writeBetween(): Promise<void> {
    this.#isBetween = true;
    try {
      await this.write();
    } finally {
      this.#isBetween = false;
    }
  }

  async changeSchema(form = this.#changed()): Promise<void> {
    const before = this.form;
    const known = new Map([...this.#past].map(([code, { kind }]) => [code, kind]));
    const { schemaService } = this.environment();
    const options = { dryRun: false, force: false };
    const outcome = await this.allowed(() =>
      schemaService.update(ENTITY, this.#schemaOf(form), options, principal),
    );
    const generation = outcome?.definition.life?.generation;
    this.log.push(`schema ${generation}: ${JSON.stringify(schemaOf(form))}`);
    if (generation === undefined || this.forms.has(generation)) return;
    this.#conversions.set(generation, conversionOf(before, form, known));
    this.forms.set(generation, form);
  }

  async recount(): Promise<void> {
    await this.environment().schemaService.recount(ENTITY, principal);
    this.log.push('recount');
    // The form stays, in a generation of its own.
    const { life } = await this.world.fresh().definitionService.get(ENTITY);
    if (life) this.forms.set(life.generation, this.form);
  }

  async write(): Promise<void> {
    const { random } = this;
    if (this.#wide && random() < 0.4) return this.#wide(this);
    const dice = random();
    const target = randomOf([...this.records.values()], random);
    if (!target || dice < 0.3) return this.#create();
    if (!target.isLive) return this.#restoreOrPurge(target);
    return dice < 0.85 ? this.#update(target) : this.#delete(target);
  }

  #schemaOf(form: Form): object {
    const schema = schemaOf(form) as { readonly properties: object };
    const friend = { type: 'string', 'x-reference': { entity: ENTITY, onDelete: 'restrict' } };
    return this.isWide ? { ...schema, properties: { ...schema.properties, friend } } : schema;
  }

  /** What is stored of a record: read right after it was written. */
  stored(id: string): Pick<Expected, 'generation' | 'version'> | undefined {
    const pk = `DYN_RECORD#${ENTITY}#${id}`;
    const item = this.world.context.db.items().find((each) => each.pk === pk && each.sk === 'R');
    return item && { generation: Number(item.sv), version: Number(item.version) };
  }

  /** Values of a new record. */
  newBody(): Record<string, unknown> {
    this.#made += 1;
    return { name: `r${this.#made}`, ...this.#bodyFor(0.7) };
  }

  /** Values of a change; `null` clears a field. */
  changedBody(): Record<string, unknown> {
    const sent = Object.entries(this.#bodyFor(0.3)).map(([code, value]) => [
      code,
      this.random() < 0.2 ? null : value,
    ]);
    return Object.fromEntries(sent) as Record<string, unknown>;
  }

  #bodyFor(share: number): Record<string, unknown> {
    return Object.fromEntries(
      this.form.fields
        .filter(({ required }) => required || this.random() < share)
        .map(({ code, kind }) => [code, anyOf(kind, this.random)]),
    );
  }

  async #create(): Promise<void> {
    const body = this.newBody();
    const { catalog, recordService } = this.environment();
    const made = await this.allowed(() =>
      catalog.withEntity(ENTITY, (model) => recordService.create(model, body, principal)),
    );
    this.log.push(`create ${made?.header.id.slice(-4)} ${made?.header.generation} ${brief(body)}`);
    if (!made) return;
    const { id, generation, version } = made.header;
    const values = this.withDefaults(body, generation);
    this.records.set(id, { id, values, generation, version, isLive: true });
  }

  async #update({ id }: Expected): Promise<void> {
    if (this.isLong && this.random() < 0.3) return this.#replace(id);
    const body = this.changedBody();
    const { catalog, recordService } = this.environment();
    const changed = await this.allowed(() =>
      catalog.withEntity(ENTITY, (model) => recordService.update(model, id, body, principal)),
    );
    this.log.push(`update ${id.slice(-4)} ${changed?.header.generation} ${brief(body)}`);
    const before = this.records.get(id);
    if (!changed || !before) return;
    const { generation, version } = changed.header;
    // A change without effect may have been told before another one came.
    if (version <= before.version) return;
    const merged = { ...this.valuesOf(before, generation), ...body };
    const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
    const values = this.withDefaults(kept, generation);
    this.records.set(id, { ...before, values, generation, version });
  }

  /** Clears what is not sent, but for the values of fields that are gone. */
  async #replace(id: string): Promise<void> {
    const body = this.newBody();
    const { catalog, recordService } = this.environment();
    const changed = await this.allowed(() =>
      catalog.withEntity(ENTITY, (model) =>
        recordService.update(model, id, body, principal, { replace: true }),
      ),
    );
    this.log.push(`replace ${id.slice(-4)} ${changed?.header.generation} ${brief(body)}`);
    const before = this.records.get(id);
    if (!changed || !before) return;
    const { generation, version } = changed.header;
    if (version <= before.version) return;
    const codes = new Set(['name', 'friend', ...this.formAt(generation).fields.map((f) => f.code)]);
    const past = Object.entries(this.valuesOf(before, generation));
    const hidden = Object.fromEntries(past.filter(([code]) => !codes.has(code)));
    const values = this.withDefaults({ ...hidden, ...body }, generation);
    const { parentId: _place, ...rest } = before;
    this.records.set(id, { ...rest, values, generation, version });
  }

  async #delete({ id }: Expected): Promise<void> {
    const { catalog, deletionService } = this.environment();
    const done = await this.allowed(async () => {
      await catalog.withEntity(ENTITY, (model) => deletionService.delete(model, id, principal));
      return true;
    });
    this.log.push(`delete ${id.slice(-4)} ${done}`);
    const before = this.records.get(id);
    if (done && before) {
      this.records.set(id, { ...before, isLive: false, version: before.version + 1 });
    }
  }

  async #restoreOrPurge({ id }: Expected): Promise<void> {
    const { catalog, deletionService, recordService } = this.environment();
    if (this.random() < 0.2) {
      const options = { purge: true };
      const done = await this.allowed(async () => {
        await catalog.withEntity(ENTITY, (model) =>
          deletionService.delete(model, id, principal, options),
        );
        return true;
      });
      this.log.push(`purge ${id.slice(-4)} ${done}`);
      if (done) this.records.delete(id);
      return;
    }
    const back = await this.allowed(() =>
      catalog.withEntity(ENTITY, (model) => recordService.restore(model, id, principal)),
    );
    this.log.push(`restore ${id.slice(-4)} ${back?.header.generation}`);
    const before = this.records.get(id);
    if (!back || !before) return;
    const values = this.#withoutGone(before);
    this.records.set(id, { ...before, values, isLive: true, version: back.header.version });
  }

  /** What refers to a record that is gone comes back without it. */
  #withoutGone({ id, values: { friend, ...values } }: Expected): Expected['values'] {
    const isThere =
      typeof friend === 'string' && (friend === id || this.records.get(friend)?.isLive);
    return isThere ? { ...values, friend } : values;
  }

  withDefaults(values: Readonly<Record<string, unknown>>, generation: number) {
    const defaults = this.formAt(generation).fields.filter((field) => field.default !== undefined);
    return {
      ...Object.fromEntries(defaults.map(({ code, default: value }) => [code, value])),
      ...values,
    };
  }

  /** What the service refuses for a reason of the request leaves everything as it is. */
  async allowed<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const isRefused = error instanceof Problem && [400, 404, 409].includes(error.status);
      if (!isRefused) throw error;
      this.log.push(`refused ${error.code} ${JSON.stringify(error.extensions).slice(0, 150)}`);
      return undefined;
    }
  }
}

/** A body as a line of the log shows it. */
const brief = (body: object): string =>
  JSON.stringify(body)
    .replace(/(\w+ )\1{9,}/g, '$1..')
    .slice(0, 300);

/** Plays a history of changes, writes, jobs and time. */
export async function play(
  seed: number,
  steps: number,
  wide?: WideWrite,
  isLong = false,
): Promise<History> {
  const history = new History(seed, wide, isLong);
  const { world, random } = history;
  await history.begin(random() < 0.3 ? 2 : 1);
  for (let at = 0; at < 6; at += 1) await history.write();
  for (let at = 0; at < steps; at += 1) await step(history, world, random);
  return history;
}

async function step(history: History, world: World, random: () => number): Promise<void> {
  const dice = random();
  if (dice < 0.16) await history.changeSchema();
  else if (dice < 0.18) await history.recount();
  else if (dice < 0.5) await history.write();
  else if (dice < 0.6) {
    const nth = 1 + Math.floor(random() * 6);
    await world.between(
      nth,
      () => history.writeBetween(),
      () => history.write(),
    );
  } else if (dice < 0.7) {
    world.context.clock.advance(Math.floor(random() * 7_000));
  } else if (dice < 0.74) {
    world.context.clock.advance(200_000);
    await world.sweep();
  } else {
    const dieAfter = random() < 0.5 ? Math.floor(random() * 40) : undefined;
    const run = (): Promise<void> => world.runJob(random, dieAfter);
    const nth = 1 + Math.floor(random() * 40);
    const work = (): Promise<void> => (random() < 0.8 ? history.write() : history.changeSchema());
    await (dieAfter === undefined && random() < 0.6 ? world.between(nth, work, run) : run());
  }
}

/** Lets every job end and every environment read the definition again. */
export async function settle({ world, random }: History): Promise<void> {
  for (let turn = 0; turn < 60 && world.openJobs() > 0; turn += 1) {
    world.context.clock.advance(200_000);
    await world.sweep();
    for (let at = 0; at < 6; at += 1) await world.runJob(random);
  }
  world.context.clock.advance(400_000);
  await world.sweep();
  if (world.openJobs() > 0) throw new Error('The jobs do not end');
}
