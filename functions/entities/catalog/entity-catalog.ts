import type { Clock } from '../../../shared/primitives/clock.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import { problems } from '../errors.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';

/** How long a cached definition is used without rereading it; bounds how soon a change applies everywhere. */
const DEFINITION_TTL_MS = 5_000;
/** No environment works with an old definition for longer than this. */
export const SETTLE_MS = DEFINITION_TTL_MS * 2 + 1_000;
const MAX_CACHED = 200;
/** Attempts of work whose definition changes concurrently. */
const MAX_TRIES = 3;

/** Statuses of refusals that may depend on the definition. */
const RESTS_ON_DEFINITION: ReadonlySet<number> = new Set([400, 401, 403, 404]);

/**
 * The definition cache of one warm environment. Work runs on a cached definition; a refusal is returned only
 * after rereading the definition, so that changes by other environments apply at once.
 */
export class EntityCatalog {
  readonly #repository: DefinitionRepository;
  readonly #clock: Clock;
  readonly #byCode = new Map<string, EntityModel>();
  readonly #checkedAt = new WeakMap<EntityModel, number>();
  readonly #codes = new Map<string, string>();

  constructor(repository: DefinitionRepository, clock: Clock) {
    this.#repository = repository;
    this.#clock = clock;
  }

  /**
   * Runs work with the definition of an entity.
   * @param name its code or apiPath.
   * @throws Problem `ENTITY_NOT_FOUND` (404), and what the work throws with the current definition
   */
  async withEntity<T>(name: string, work: (model: EntityModel) => Promise<T>): Promise<T> {
    const cached = await this.#current(name);
    const first = cached ?? (await this.load(name));
    try {
      return await this.withCurrent(first, work);
    } catch (error) {
      const mayBeStale =
        cached && error instanceof Problem && RESTS_ON_DEFINITION.has(error.status);
      if (!mayBeStale) throw error;
      // The cached definition may be the reason for the refusal. Its head says whether it is still the current one.
      if (await this.#isCurrent(first)) throw error;
      return this.withCurrent(await this.load(name), work);
    }
  }

  /**
   * Runs part of longer work with the current definition, and once more when it changes during the work.
   * @throws what the work throws
   */
  async withCurrent<T>(model: EntityModel, work: (model: EntityModel) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const current = (await this.#current(model.code)) ?? (await this.load(model.code));
      try {
        return await work(current);
      } catch (error) {
        if (!isStale(error) || attempt === MAX_TRIES) throw error;
        this.forget(current.code);
      }
    }
  }

  /**
   * Checks that a definition may still be used for writes: it is in force, or was until recently.
   * @throws Problem `DEFINITION_CHANGED` (409)
   */
  async confirm(model: EntityModel): Promise<void> {
    const { code, definition } = model;
    const now = this.#clock.now();
    if (now - (this.#checkedAt.get(model) ?? 0) < DEFINITION_TTL_MS) return;
    const head = await this.#repository.findHead(code);
    if (head?.version !== definition.version) {
      this.forget(code);
      throw problems.definitionChanged({ entity: code });
    }
    this.#checkedAt.set(model, now);
  }

  /** Reads the current definition, bypassing the cache. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async load(name: string): Promise<EntityModel> {
    const now = this.#clock.now();
    const code = (await this.#repository.codeOf(name)) ?? name;
    const definition = await this.#repository.find(code);
    const isMeant = definition && (definition.code === name || definition.apiPath === name);
    if (!isMeant || definition.status !== 'ACTIVE') {
      this.forget(code);
      throw problems.entityNotFound({ entity: name });
    }
    return this.#keep(name, new EntityModel(definition), now);
  }

  /** Drops what is cached of an entity, in this environment only. */
  forget(code: string): void {
    this.#byCode.delete(code);
  }

  async #isCurrent({ code, definition }: EntityModel): Promise<boolean> {
    const head = await this.#repository.findHead(code);
    return head?.version === definition.version && head.status === 'ACTIVE';
  }

  async #current(name: string): Promise<EntityModel | undefined> {
    const code = this.#codes.get(name) ?? name;
    const cached = this.#byCode.get(code);
    const definition = cached?.definition;
    if (!cached || (definition?.code !== name && definition?.apiPath !== name)) return undefined;
    const now = this.#clock.now();
    if (now - (this.#checkedAt.get(cached) ?? 0) < DEFINITION_TTL_MS) return cached;
    if (!(await this.#isCurrent(cached))) return undefined;
    this.#checkedAt.set(cached, now);
    return cached;
  }

  #keep(name: string, read: EntityModel, now: number): EntityModel {
    if (this.#byCode.size >= MAX_CACHED) this.#byCode.clear();
    if (this.#codes.size >= MAX_CACHED * 2) this.#codes.clear();
    const known = this.#byCode.get(read.code);
    const model = known?.definition.version === read.definition.version ? known : read;
    this.#byCode.set(model.code, model);
    this.#checkedAt.set(model, now);
    this.#codes.set(name, model.code);
    return model;
  }
}

/** Whether work was refused because its definition is no longer in force. */
export function isStale(error: unknown): boolean {
  return error instanceof Problem && error.code === 'DEFINITION_CHANGED';
}

/** Whether work was refused because the entity does not exist, or not any more. */
export function isNoEntity(error: unknown): boolean {
  return error instanceof Problem && error.code === 'ENTITY_NOT_FOUND';
}
