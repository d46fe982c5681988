import { httpProblems } from '../../shared/http/problems.ts';
import type { EventPublisher } from '../../shared/messaging/event-publisher.ts';
import { type Clock, toInstant } from '../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../shared/primitives/ids.ts';
import type { Principal } from '../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../shared/store/unit-of-work.ts';
import type {
  DefinitionRepository,
  DefinitionSummary,
  SchemaVersion,
} from './definition-repository.ts';
import {
  checkTargets,
  deriveFirst,
  deriveNext,
  isOwnedPath,
  mergeOptions,
  rederiveIndexes,
} from './domain/definition.ts';
import { DEFAULT_OPTIONS, type EntityDefinition, type EntityOptions } from './domain/entity.ts';
import type { FieldDefinition } from './domain/field.ts';
import type { FieldChange } from './domain/schema/compare.ts';
import { schemaTextOf } from './domain/schema/read-document.ts';
import { fold } from './domain/values/folding.ts';
import type { EntityCatalog } from './entity-catalog.ts';
import { problems } from './errors.ts';
import { DEFINITION_TOPIC, type DefinitionEvent } from './events.ts';
import type { Job } from './job-repository.ts';
import type { JobService } from './job-service.ts';
import type { RecordRepository } from './record-repository.ts';

/** What a caller sends to create an entity. */
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

/** What a caller may change besides the schema. */
export type EntityChange = Partial<Omit<NewEntity, 'code' | 'uiSchemaJson'>>;

/** What became of a new schema. */
export interface SchemaOutcome {
  readonly definition: EntityDefinition;
  readonly changes: readonly FieldChange[];
  readonly job?: Job | undefined;
  /** Records that break the new rules, of those looked at. */
  readonly check?: { readonly checked: number; readonly invalid: number } | undefined;
}

/** What the service needs from outside. */
export interface DefinitionServiceDependencies {
  readonly repository: DefinitionRepository;
  readonly records: RecordRepository;
  readonly catalog: EntityCatalog;
  readonly jobs: JobService;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly targetOf: (definition: EntityDefinition) => string;
  /** Counts how many stored records break another validator. */
  readonly countInvalid: (
    definition: EntityDefinition,
  ) => Promise<{ readonly checked: number; readonly invalid: number }>;
}

/** Declares entities and changes them. */
export class DefinitionService {
  readonly #to: DefinitionServiceDependencies;

  constructor(dependencies: DefinitionServiceDependencies) {
    this.#to = dependencies;
  }

  /**
   * Declares an entity; it works at once.
   * @throws Problem `CODE_EXISTS` (409), `INVALID_SCHEMA` (400), `VALIDATION_FAILED` (400) for a path of the platform
   */
  async create(entity: NewEntity, principal: Principal): Promise<EntityDefinition> {
    const { repository, unitOfWork, clock, ids } = this.#to;
    const { code, name, apiPath = code, hierarchical = false } = entity;
    checkPath(apiPath);
    const derived = deriveFirst(schemaTextOf(entity.uiSchemaJson), hierarchical);
    const at = toInstant(clock.now());
    const definition: EntityDefinition = {
      ...derived,
      fields: await this.#withTargets(derived.fields, code),
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
      incoming: ownReferences(derived.fields, code, apiPath),
      createdAt: at,
      createdBy: principal.id,
      updatedAt: at,
      updatedBy: principal.id,
    };
    for (const each of new Set([code, apiPath])) {
      if (await repository.codeOf(each)) throw problems.codeExists({ name: each });
    }
    await repository.writeFields(code, definition);
    return unitOfWork(async (unit) => {
      for (const each of new Set([code, apiPath])) {
        repository.stageName(unit, each, code, () => problems.codeExists({ name: each }));
      }
      repository.stage(unit, definition, 0, () => problems.codeExists({ name: code }));
      repository.stageSchema(unit, definition);
      await this.#stageReferences(unit, [], definition);
      await this.#publish('CREATED', definition);
      return definition;
    });
  }

  /** A definition as it is stored. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async get(code: string): Promise<EntityDefinition> {
    const definition = await this.#to.repository.find(code);
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
    const all = (await this.#to.repository.list()).filter(({ status }) => status === 'ACTIVE');
    const wanted = fold(q ?? '');
    const found = all.filter(({ code, name }) => fold(`${code} ${name}`).includes(wanted));
    const key = sort.replace(/^[-+]/, '') as keyof DefinitionSummary;
    const sign = sort.startsWith('-') ? -1 : 1;
    return found.sort(
      (one, other) => sign * fold(String(one[key])).localeCompare(fold(String(other[key]))),
    );
  }

  /** Schema history, newest first. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async versions(code: string): Promise<readonly SchemaVersion[]> {
    await this.get(code);
    return this.#to.repository.versions(code);
  }

  /** @throws Problem `ENTITY_NOT_FOUND`, `SCHEMA_VERSION_NOT_FOUND` (404) */
  async version(code: string, version: number): Promise<SchemaVersion> {
    await this.get(code);
    const found = await this.#to.repository.findVersion(code, version);
    if (!found) throw problems.versionNotFound({ entity: code, version });
    return found;
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
    const { repository, unitOfWork, jobs, catalog } = this.#to;
    if (change.apiPath !== undefined) checkPath(change.apiPath);
    const updated = await unitOfWork(async (unit) => {
      const stored = await this.get(code);
      checkVersion(ifMatch, stored);
      await this.#checkChange(stored, change);
      const { options, ...plain } = change;
      const hierarchical = change.hierarchical ?? stored.hierarchical;
      const { needsJob, ...indexes } =
        hierarchical === stored.hierarchical
          ? { needsJob: false, indexes: stored.indexes, uniques: stored.uniques }
          : rederiveIndexes(stored, { hierarchical });
      const next = this.#next(stored, principal, {
        ...(Object.fromEntries(
          Object.entries(plain).filter(([, value]) => value !== undefined),
        ) as Partial<EntityDefinition>),
        ...indexes,
        options: mergeOptions(stored.options, { ...options, shards: stored.options.shards }),
      });
      if (next.apiPath !== stored.apiPath) {
        const { apiPath } = next;
        if (apiPath !== code)
          repository.stageName(unit, apiPath, code, () => problems.codeExists({ name: apiPath }));
        if (stored.apiPath !== code) repository.stageNameFree(unit, stored.apiPath);
      }
      repository.stage(unit, next, stored.version);
      if (needsJob)
        await jobs.start('INDEX', code, { schemaVersion: next.schemaVersion }, principal.id);
      await this.#publish('UPDATED', next);
      return next;
    });
    catalog.forget(code);
    return updated;
  }

  /**
   * Gives an entity a new form schema and derives its fields again: all of it, or nothing.
   * @throws Problem `INVALID_SCHEMA` (400), `SCHEMA_INCOMPATIBLE` (409), `ENTITY_NOT_FOUND` (404), `VERSION_CONFLICT` (412)
   */
  async updateSchema(
    code: string,
    schema: unknown,
    { dryRun, force, ifMatch }: { dryRun: boolean; force: boolean; ifMatch?: string | undefined },
    principal: Principal,
  ): Promise<SchemaOutcome> {
    const { repository, records, unitOfWork, jobs, catalog } = this.#to;
    const text = schemaTextOf(schema);
    const outcome = await unitOfWork(async (unit): Promise<SchemaOutcome> => {
      const stored = await this.get(code);
      checkVersion(ifMatch, stored);
      if (text === stored.schemaText && !dryRun) return { definition: stored, changes: [] };
      const { derived, changes, unreadable, needsJob } = deriveNext(stored, text);
      const fields = await this.#withTargets(derived.fields, code);
      if (unreadable.length > 0 && !force) {
        const { live, deleted } = await records.counters(code, true);
        if (live + deleted > 0) throw problems.schemaIncompatible({ fields: unreadable });
      }
      const next = this.#next(stored, principal, { ...derived, fields });
      await this.#checkTree(stored, next);
      if (dryRun) return { definition: next, changes, check: await this.#to.countInvalid(next) };
      await repository.writeFields(code, next);
      repository.stage(
        unit,
        await this.#stageReferences(unit, stored.fields, next),
        stored.version,
      );
      repository.stageSchema(unit, next);
      const job = needsJob
        ? await jobs.start('INDEX', code, { schemaVersion: next.schemaVersion }, principal.id)
        : undefined;
      await this.#publish('SCHEMA_UPDATED', next, changes);
      unit.afterCommit(() => repository.deleteOldFields(code, next.schemaVersion));
      return { definition: next, changes, job };
    });
    catalog.forget(code);
    return outcome;
  }

  /**
   * Deletes an entity; its code stays reserved and it can be restored, unless it is purged.
   * @throws Problem `ENTITY_HAS_RECORDS` (409), `ENTITY_NOT_FOUND` (404), `VERSION_CONFLICT` (412)
   */
  async delete(
    code: string,
    { force, purge, ifMatch }: { force: boolean; purge: boolean; ifMatch?: string | undefined },
    principal: Principal,
  ): Promise<void> {
    const { repository, records, unitOfWork, jobs, catalog } = this.#to;
    await unitOfWork(async (unit) => {
      const stored = await this.get(code);
      checkVersion(ifMatch, stored);
      const { live } = await records.counters(code, true);
      if (live > 0 && !force) throw problems.entityHasRecords({ entity: code });
      const next = this.#next(stored, principal, { status: 'DELETED' });
      repository.stage(unit, next, stored.version);
      if (purge) await jobs.start('PURGE', code, {}, principal.id);
      await this.#publish('DELETED', next);
    });
    catalog.forget(code);
  }

  /** Brings a deleted entity back with its records. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async restore(code: string, principal: Principal): Promise<EntityDefinition> {
    const { repository, unitOfWork } = this.#to;
    return unitOfWork(async (unit) => {
      const stored = await repository.find(code);
      if (!stored) throw problems.entityNotFound({ entity: code });
      if (stored.status === 'ACTIVE') return stored;
      const next = this.#next(stored, principal, { status: 'ACTIVE' });
      repository.stage(unit, next, stored.version);
      await this.#publish('RESTORED', next);
      return next;
    });
  }

  /** What cannot change any more: the shards at all, the tree while there are records in it. */
  async #checkChange(
    stored: EntityDefinition,
    { options, hierarchical }: EntityChange,
  ): Promise<void> {
    if (options?.shards !== undefined && options.shards !== stored.options.shards) {
      const detail = 'is chosen when the entity is created';
      throw httpProblems.validationFailed([
        { pointer: '/options/shards', code: 'IMMUTABLE', detail },
      ]);
    }
    if (!stored.hierarchical || hierarchical !== false) return;
    const { live } = await this.#to.records.counters(stored.code, true);
    if (live > 0) throw problems.entityHasRecords({ entity: stored.code });
  }

  /** Rows of a tree are ordered by label, so the label stays while there are records. */
  async #checkTree(
    { code, hierarchical, layout }: EntityDefinition,
    next: EntityDefinition,
  ): Promise<void> {
    const isSame =
      layout.labelField === next.layout.labelField &&
      layout.treeOrderField === next.layout.treeOrderField;
    if (!hierarchical || isSame) return;
    const { live } = await this.#to.records.counters(code, true);
    if (live > 0) throw problems.schemaIncompatible({ fields: ['x-label', 'x-tree-order'] });
  }

  #next(
    stored: EntityDefinition,
    principal: Principal,
    change: Partial<EntityDefinition>,
  ): EntityDefinition {
    return {
      ...stored,
      ...change,
      version: stored.version + 1,
      updatedAt: toInstant(this.#to.clock.now()),
      updatedBy: principal.id,
    };
  }

  /** References name the code of their target, whatever they were written with. */
  async #withTargets(
    fields: readonly FieldDefinition[],
    ownCode: string,
  ): Promise<FieldDefinition[]> {
    const names = new Set(fields.flatMap(({ reference }) => reference?.entity ?? []));
    const known = await Promise.all(
      [...names].map(
        async (name): Promise<[string, string | undefined]> => [
          name,
          name === ownCode ? ownCode : await this.#to.repository.codeOf(name),
        ],
      ),
    );
    return checkTargets(fields, new Map(known));
  }

  /** Tells the targets of references who points to them, so that their deletions are checked. */
  async #stageReferences(
    unit: UnitOfWork,
    before: readonly FieldDefinition[],
    definition: EntityDefinition,
  ): Promise<EntityDefinition> {
    const { repository } = this.#to;
    const { code, fields } = definition;
    const targets = new Set(
      [...before, ...fields].flatMap(({ reference }) => reference?.entity ?? []),
    );
    let own = definition;
    for (const target of targets) {
      const stored = target === code ? definition : await repository.find(target);
      if (!stored) continue;
      const incoming = [
        ...stored.incoming.filter(({ entity }) => entity !== code),
        ...fields.flatMap(({ code: field, reference }) =>
          reference?.entity === target
            ? [{ entity: code, field, onDelete: reference.onDelete }]
            : [],
        ),
      ];
      if (target === code) own = { ...definition, incoming };
      else if (JSON.stringify(incoming) !== JSON.stringify(stored.incoming)) {
        repository.stage(
          unit,
          { ...stored, incoming, version: stored.version + 1 },
          stored.version,
        );
      }
    }
    return own;
  }

  async #publish(
    action: DefinitionEvent['action'],
    definition: EntityDefinition,
    changes: readonly FieldChange[] = [],
  ): Promise<void> {
    const { code, name, apiPath, requireAuth, requirePermission, hierarchical, schemaVersion } =
      definition;
    const payload: DefinitionEvent = {
      action,
      entity: { code, name, apiPath, requireAuth, requirePermission, hierarchical, schemaVersion },
      menu: {
        key: code,
        title: name,
        path: `/${apiPath}`,
        order: 0,
        icon: null,
        permission: `${this.#to.targetOf(definition)}:view`,
      },
      changes,
    };
    await this.#to.events.publish(DEFINITION_TOPIC, code, payload);
  }
}

function checkVersion(ifMatch: string | undefined, { version }: EntityDefinition): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === String(version)) return;
  throw httpProblems.versionConflict({ expected: ifMatch, actual: version });
}

function checkPath(apiPath: string): void {
  if (!isOwnedPath(apiPath)) return;
  const item = { pointer: '/apiPath', code: 'RESERVED', detail: 'is a path of the platform' };
  throw httpProblems.validationFailed([item]);
}

/** References of an entity to itself, by its code or its apiPath. */
function ownReferences(fields: readonly FieldDefinition[], code: string, apiPath: string) {
  return fields.flatMap(({ code: field, reference }) =>
    reference && (reference.entity === code || reference.entity === apiPath)
      ? [{ entity: code, field, onDelete: reference.onDelete }]
      : [],
  );
}
