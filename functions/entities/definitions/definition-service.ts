import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { checkPolicies } from '../access/policies.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import { withBuild } from '../domain/definitions/builds.ts';
import { mergeOptions, nextDefinition, rederiveIndexes } from '../domain/definitions/definition.ts';
import { lifeOf } from '../domain/definitions/generations.ts';
import { checkRoom } from '../domain/definitions/room.ts';
import {
  DEFAULT_OPTIONS,
  type EntityDefinition,
  type EntityOptions,
} from '../domain/entity/entity.ts';
import { schemaTextOf } from '../domain/schema/read-document.ts';
import { fold } from '../domain/values/folding.ts';
import { problems } from '../errors.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { DefinitionRepository, DefinitionSummary } from '../store/definition-repository.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { DefinitionPublisher } from './definition-publisher.ts';
import { checkDefinitionVersion, checkNames } from './definition-rules.ts';
import type { ReferenceRegister } from './reference-register.ts';

/** The rules of form schemas, which only changes of definitions need. */
const derivation = () => import('../domain/definitions/derive.ts');

/** Request to create an entity. */
export interface NewEntity {
  readonly code: string;
  readonly name: string;
  /** Left out: the code. */
  readonly apiPath?: string | undefined;
  readonly requireAuth?: boolean | undefined;
  readonly requirePermission?: boolean | undefined;
  readonly hierarchical?: boolean | undefined;
  readonly uiSchemaJson: unknown;
  readonly options?: Partial<EntityOptions> | undefined;
}

/** Changeable properties besides the schema. */
export type EntityChange = Partial<Omit<NewEntity, 'code' | 'uiSchemaJson'>>;

export interface DefinitionDeleteOptions {
  /** Deletes it even if it has records. */
  readonly force: boolean;
  /** Also deletes its records permanently. */
  readonly purge: boolean;
  readonly ifMatch?: string | undefined;
}

export interface DefinitionServiceDependencies {
  readonly definitions: DefinitionRepository;
  readonly references: ReferenceRegister;
  readonly publisher: DefinitionPublisher;
  readonly repository: RecordRepository;
  readonly catalog: EntityCatalog;
  readonly jobs: JobService;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Declares entities and changes them. */
export class DefinitionService {
  readonly #deps: DefinitionServiceDependencies;

  constructor(dependencies: DefinitionServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Declares an entity; it is usable at once.
   * @throws Problem `CODE_EXISTS` (409), `INVALID_SCHEMA` (400), `VALIDATION_FAILED` (400) for a path of the platform
   */
  async create(entity: NewEntity, principal: Principal): Promise<EntityDefinition> {
    const { definitions, references, publisher, unitOfWork } = this.#deps;
    const definition = await this.#newDefinition(entity, principal);
    const { code, apiPath } = definition;
    const names = [...new Set([code, apiPath])];
    for (const name of names) {
      if (await definitions.codeOf(name)) throw problems.codeExists({ name });
    }
    await definitions.writeFields(code, definition);
    return unitOfWork(async (unit) => {
      for (const name of names) {
        definitions.stageName(unit, name, code, () => problems.codeExists({ name }));
      }
      const registered = await references.stage(unit, [], definition);
      definitions.stage(unit, registered, 0, () => problems.codeExists({ name: code }));
      definitions.stageSchema(unit, definition);
      if (definition.incoming.length > 0) definitions.stageNoLeftIncoming(unit, code);
      await publisher.publish('CREATED', definition);
      return registered;
    });
  }

  async #newDefinition(entity: NewEntity, principal: Principal): Promise<EntityDefinition> {
    const { references, clock, ids } = this.#deps;
    const { code, name, apiPath = code, hierarchical = false } = entity;
    checkNames({ code, apiPath: entity.apiPath });
    const { deriveFirst } = await derivation();
    const derived = deriveFirst(schemaTextOf(entity.uiSchemaJson), hierarchical);
    const at = toInstant(clock.now());
    const definition: EntityDefinition = {
      ...derived,
      fields: await references.resolve(derived.fields, { code, apiPath }),
      id: ids(),
      code,
      name,
      apiPath,
      requireAuth: entity.requireAuth ?? true,
      requirePermission: entity.requirePermission ?? false,
      hierarchical,
      options: mergeOptions(DEFAULT_OPTIONS, entity.options ?? {}),
      status: 'ACTIVE',
      version: 1,
      incoming: await this.#deps.definitions.findLeftIncoming(code),
      createdAt: at,
      createdBy: principal.id,
      updatedAt: at,
      updatedBy: principal.id,
    };
    checkPolicies(definition);
    return definition;
  }

  /** A definition as it is stored. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async get(code: string): Promise<EntityDefinition> {
    const definition = await this.#deps.definitions.find(code);
    if (definition?.status !== 'ACTIVE') throw problems.entityNotFound({ entity: code });
    return definition;
  }

  /** Definitions that are in use, by their codes, or by `sort` and `q`. */
  async list({
    q,
    sort = 'code',
  }: {
    q?: string | undefined;
    sort?: string | undefined;
  }): Promise<readonly DefinitionSummary[]> {
    const all = (await this.#deps.definitions.list()).filter(({ status }) => status === 'ACTIVE');
    const wanted = fold(q ?? '');
    const found = all.filter(({ code, name }) => fold(`${code} ${name}`).includes(wanted));
    const key = sort.replace(/^[-+]/, '') as keyof DefinitionSummary;
    const sign = sort.startsWith('-') ? -1 : 1;
    return found.sort(
      (one, other) => sign * fold(String(one[key])).localeCompare(fold(String(other[key]))),
    );
  }

  /**
   * Changes name, path, flags or options.
   * @throws Problem `ENTITY_NOT_FOUND` (404), `CODE_EXISTS` (409), `VERSION_CONFLICT` (412)
   */
  async update(
    code: string,
    change: EntityChange,
    principal: Principal,
    ifMatch?: string,
  ): Promise<EntityDefinition> {
    const { definitions, publisher, unitOfWork, jobs, catalog } = this.#deps;
    checkNames({ apiPath: change.apiPath });
    const updated = await unitOfWork(async (unit) => {
      const stored = await this.get(code);
      checkDefinitionVersion(stored, ifMatch);
      await this.#checkChange(stored, change);
      const { options, ...plain } = change;
      const hierarchical = change.hierarchical ?? stored.hierarchical;
      const { needsJob, ...indexes } =
        hierarchical === stored.hierarchical
          ? { needsJob: false }
          : rederiveIndexes(stored, { hierarchical });
      const planned = this.#next(stored, principal, {
        ...given(plain),
        ...indexes,
        options: mergeOptions(stored.options, { ...options, shards: stored.options.shards }),
      });
      checkPolicies(planned);
      checkRoom(planned);
      const input = { generation: lifeOf(planned).generation };
      const job = needsJob ? await jobs.start('INDEX', code, input, principal) : undefined;
      const next = job ? withBuild(planned, job.id) : planned;
      this.#stagePath(unit, stored, next);
      definitions.stage(unit, next, stored.version);
      await publisher.publish('UPDATED', next);
      return next;
    });
    catalog.forget(code);
    return updated;
  }

  /**
   * Deletes an entity; its code stays reserved and it can be restored, unless it is purged. One that is deleted can
   * still be purged.
   * @throws Problem `ENTITY_HAS_RECORDS` (409), `ENTITY_NOT_FOUND` (404), `VERSION_CONFLICT` (412)
   */
  async delete(
    code: string,
    { force, purge, ifMatch }: DefinitionDeleteOptions,
    principal: Principal,
  ): Promise<void> {
    const { definitions, publisher, repository, unitOfWork, jobs, catalog } = this.#deps;
    await unitOfWork(async (unit) => {
      const stored = purge ? await this.#find(code) : await this.get(code);
      checkDefinitionVersion(stored, ifMatch);
      const { live } = await repository.counters(stored, true);
      if (live > 0 && !force) {
        const remedy = 'force=true deletes it all the same';
        throw problems.entityHasRecords({ entity: code, remedy });
      }
      const change = purge ? { isPurged: true } : {};
      const next = this.#next(stored, principal, { status: 'DELETED', ...change });
      definitions.stage(unit, next, stored.version);
      if (purge) await jobs.start('PURGE', code, {}, principal);
      await publisher.publish('DELETED', next);
    });
    catalog.forget(code);
  }

  /** Brings a deleted entity back with its records. @throws Problem `ENTITY_NOT_FOUND` (404), also when it is being purged */
  async restore(code: string, principal: Principal): Promise<EntityDefinition> {
    const { definitions, publisher, unitOfWork } = this.#deps;
    return unitOfWork(async (unit) => {
      const stored = await this.#find(code);
      if (stored.isPurged) throw problems.entityNotFound({ entity: code });
      if (stored.status === 'ACTIVE') return stored;
      const next = this.#next(stored, principal, { status: 'ACTIVE' });
      definitions.stage(unit, next, stored.version);
      await publisher.publish('RESTORED', next);
      return next;
    });
  }

  /** A definition, deleted or not. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async #find(code: string): Promise<EntityDefinition> {
    const stored = await this.#deps.definitions.find(code);
    if (!stored) throw problems.entityNotFound({ entity: code });
    return stored;
  }

  /** Rejects immutable changes: shards always, the tree option while there are records. */
  async #checkChange(
    stored: EntityDefinition,
    { options, hierarchical }: EntityChange,
  ): Promise<void> {
    if (options?.shards !== undefined && options.shards !== stored.options.shards) {
      const detail = `cannot change after creation (it is ${stored.options.shards}); to change it, export the records and import them into a new entity`;
      throw httpProblems.validationFailed([
        { pointer: '/options/shards', code: 'IMMUTABLE', detail },
      ]);
    }
    if (!stored.hierarchical || hierarchical !== false) return;
    const { live } = await this.#deps.repository.counters(stored, true);
    if (live === 0) return;
    const remedy = 'delete them before it stops being hierarchical';
    throw problems.entityHasRecords({ entity: stored.code, remedy });
  }

  #next(
    stored: EntityDefinition,
    principal: Principal,
    change: Partial<EntityDefinition>,
  ): EntityDefinition {
    const stamp = { at: toInstant(this.#deps.clock.now()), by: principal.id };
    return nextDefinition(stored, change, stamp);
  }

  /** Releases the claim on the former path and claims the new one. */
  #stagePath(
    unit: UnitOfWork,
    stored: EntityDefinition,
    { code, apiPath }: EntityDefinition,
  ): void {
    if (apiPath === stored.apiPath) return;
    const { definitions } = this.#deps;
    if (apiPath !== code) {
      definitions.stageName(unit, apiPath, code, () => problems.codeExists({ name: apiPath }));
    }
    if (stored.apiPath !== code) definitions.stageNameFree(unit, stored.apiPath);
  }
}

/** The members of a change that were sent. */
function given<T extends object>(change: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
