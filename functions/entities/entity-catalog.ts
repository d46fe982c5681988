import { Problem } from '../../shared/http/problem.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import type { DefinitionRepository } from './definition-repository.ts';
import { EntityModel } from './domain/model.ts';
import { problems } from './errors.ts';

/** How long a definition is used without a look at the table; a change is in force everywhere soon after. */
export const DEFINITION_TTL_MS = 5_000;
const MAX_CACHED = 200;

/** Statuses of refusals that may follow from what a definition says. */
const RESTS_ON_DEFINITION: ReadonlySet<number> = new Set([400, 401, 403, 404]);

interface Cached {
  readonly model: EntityModel;
  checkedAt: number;
}

/**
 * The definitions that one warm environment works with. Work runs on a cached definition; a refusal is given only
 * after the definition was read again, so what another environment has declared works at once.
 */
export class EntityCatalog {
  readonly #repository: DefinitionRepository;
  readonly #clock: Clock;
  readonly #byCode = new Map<string, Cached>();
  readonly #codes = new Map<string, string>();

  constructor(repository: DefinitionRepository, clock: Clock) {
    this.#repository = repository;
    this.#clock = clock;
  }

  /**
   * Runs work with the definition of an entity.
   * @param name its code or apiPath.
   * @throws Problem `ENTITY_NOT_FOUND` (404), and what the work throws on the definition as it is stored now
   */
  async withEntity<T>(name: string, work: (model: EntityModel) => Promise<T>): Promise<T> {
    const cached = await this.#current(name);
    const first = cached ?? (await this.load(name));
    try {
      return await work(first);
    } catch (error) {
      const mayBeStale =
        cached && error instanceof Problem && RESTS_ON_DEFINITION.has(error.status);
      if (!mayBeStale) throw error;
      const model = await this.load(name);
      if (model.definition.version === first.definition.version) throw error;
      return work(model);
    }
  }

  /** Reads a definition as it is stored now. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async load(name: string): Promise<EntityModel> {
    const code = (await this.#repository.codeOf(name)) ?? name;
    const definition = await this.#repository.find(code);
    const isMeant = definition && (definition.code === name || definition.apiPath === name);
    if (!isMeant || definition.status !== 'ACTIVE') {
      this.forget(code);
      throw problems.entityNotFound({ entity: name });
    }
    const model = new EntityModel(definition);
    this.#keep(name, model);
    return model;
  }

  /** Drops what is cached of an entity, in this environment only. */
  forget(code: string): void {
    this.#byCode.delete(code);
  }

  async #current(name: string): Promise<EntityModel | undefined> {
    const code = this.#codes.get(name) ?? name;
    const cached = this.#byCode.get(code);
    const definition = cached?.model.definition;
    if (!cached || (definition?.code !== name && definition?.apiPath !== name)) return undefined;
    if (this.#clock.now() - cached.checkedAt < DEFINITION_TTL_MS) return cached.model;
    const now = this.#clock.now();
    const head = await this.#repository.findHead(code);
    if (head?.version !== definition?.version || head?.status !== 'ACTIVE') return undefined;
    cached.checkedAt = now;
    return cached.model;
  }

  #keep(name: string, model: EntityModel): void {
    if (this.#byCode.size >= MAX_CACHED) this.#byCode.clear();
    if (this.#codes.size >= MAX_CACHED * 2) this.#codes.clear();
    const known = this.#byCode.get(model.code);
    const isSame = known?.model.definition.version === model.definition.version;
    this.#byCode.set(model.code, {
      model: isSame ? known.model : model,
      checkedAt: this.#clock.now(),
    });
    this.#codes.set(name, model.code);
  }
}
