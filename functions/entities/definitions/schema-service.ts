import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { checkPolicies } from '../access/policies.ts';
import { withRenamedPolicies } from '../access/renamed-policies.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import { isUnfinished, recounted, withBuild } from '../domain/definitions/builds.ts';
import { nextDefinition } from '../domain/definitions/definition.ts';
import { lifeOf } from '../domain/definitions/generations.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import { checkRoom } from '../domain/definitions/room.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import { everything } from '../domain/query/filter.ts';
import { type FieldChange, retold } from '../domain/schema/compare.ts';
import { schemaTextOf } from '../domain/schema/read-document.ts';
import { findPage } from '../domain/search/run.ts';
import { problems } from '../errors.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { Searches } from '../queries/searches.ts';
import type { DefinitionRepository, SchemaVersion } from '../store/definition-repository.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { DefinitionPublisher } from './definition-publisher.ts';
import { checkDefinitionVersion } from './definition-rules.ts';
import type { DefinitionService } from './definition-service.ts';
import type { ReferenceRegister } from './reference-register.ts';

/** The rules of form schemas, which only changes of definitions need. */
const derivation = () => import('../domain/definitions/derive.ts');

/** Records that a dry run checks, and the time after which it checks no more. */
const SAMPLE_SIZE = 1_000;
const CHECK_MS = 10_000;

/** Number of invalid records among the checked ones. */
export interface SchemaCheck {
  readonly checked: number;
  readonly invalid: number;
}

/** Result of a schema change. */
export interface SchemaOutcome {
  readonly definition: EntityDefinition;
  readonly changes: readonly FieldChange[];
  readonly job?: EntityJob | undefined;
  /** Findings of a dry run. */
  readonly check?: SchemaCheck | undefined;
}

export interface SchemaUpdateOptions {
  /** Returns the changes without applying them. */
  readonly dryRun: boolean;
  /** Changes types even if stored values cannot be converted. */
  readonly force: boolean;
  readonly ifMatch?: string | undefined;
}

export interface SchemaServiceDependencies {
  readonly definitions: DefinitionRepository;
  readonly definitionService: Pick<DefinitionService, 'get'>;
  readonly references: ReferenceRegister;
  readonly publisher: DefinitionPublisher;
  readonly repository: RecordRepository;
  readonly catalog: EntityCatalog;
  readonly jobs: JobService;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly searches: Searches;
  readonly largeValues: LargeValueStore;
}

/** Changes the form schemas of entities and keeps their history. */
export class SchemaService {
  readonly #deps: SchemaServiceDependencies;

  constructor(dependencies: SchemaServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Schema history, newest first. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async versions(code: string): Promise<readonly SchemaVersion[]> {
    await this.#deps.definitionService.get(code);
    return this.#deps.definitions.versions(code);
  }

  /** @throws Problem `ENTITY_NOT_FOUND`, `SCHEMA_VERSION_NOT_FOUND` (404) */
  async version(code: string, version: number): Promise<SchemaVersion> {
    await this.#deps.definitionService.get(code);
    const found = await this.#deps.definitions.findVersion(code, version);
    if (!found) throw problems.versionNotFound({ entity: code, version });
    return found;
  }

  /**
   * Replaces the form schema of an entity and its derived fields atomically.
   * @throws Problem `INVALID_SCHEMA` (400), `SCHEMA_INCOMPATIBLE` (409), `ENTITY_NOT_FOUND` (404), `VERSION_CONFLICT` (412)
   */
  async update(
    code: string,
    schema: unknown,
    { dryRun, force, ifMatch }: SchemaUpdateOptions,
    principal: Principal,
  ): Promise<SchemaOutcome> {
    const {
      definitions,
      definitionService,
      repository,
      references,
      publisher,
      unitOfWork,
      catalog,
      clock,
    } = this.#deps;
    const text = schemaTextOf(schema);
    const { deriveNext } = await derivation();
    const outcome = await unitOfWork(async (unit): Promise<SchemaOutcome> => {
      const stored = await definitionService.get(code);
      checkDefinitionVersion(stored, ifMatch);
      if (text === stored.schemaText && !dryRun) return this.#resume(unit, stored, principal);
      const { derived, changes, unreadable, needsJob, converted } = deriveNext(stored, text);
      refuseRetold(stored, derived);
      const fields = await references.resolve(derived.fields, stored);
      if (unreadable.length > 0 && !force) {
        const { live, deleted } = await repository.counters(stored, true);
        if (live + deleted > 0) throw problems.schemaIncompatible({ fields: unreadable });
      }
      const stamp = { at: toInstant(clock.now()), by: principal.id };
      const options = withRenamedPolicies(stored.options, stored.fields, fields);
      const planned = nextDefinition(stored, { ...derived, fields, options }, stamp);
      await this.#checkTree(stored, planned, converted);
      checkPolicies(planned);
      checkRoom(planned);
      if (dryRun) return { definition: planned, changes, check: await this.#check(planned) };
      const job = needsJob ? await this.#startBuild(planned, principal) : undefined;
      const next = job ? withBuild(planned, job.id) : planned;
      await definitions.writeFields(code, next);
      const registered = await references.stage(unit, stored.fields, next);
      definitions.stage(unit, registered, stored.version);
      definitions.stageSchema(unit, next);
      await publisher.publish('SCHEMA_UPDATED', next, changes);
      unit.afterCommit(() => definitions.deleteOldFields(code, next.schemaVersion));
      return { definition: next, changes, job };
    });
    catalog.forget(code);
    return outcome;
  }

  /** The same schema again starts a job for what an earlier one has left undone. */
  async #resume(
    unit: UnitOfWork,
    stored: EntityDefinition,
    principal: Principal,
  ): Promise<SchemaOutcome> {
    if (!isUnfinished(stored)) return { definition: stored, changes: [] };
    const planned = { ...stored, life: lifeOf(stored), version: stored.version + 1 };
    const job = await this.#startBuild(planned, principal);
    const definition = withBuild(planned, job.id);
    this.#deps.definitions.stage(unit, definition, stored.version);
    return { definition, changes: [], job };
  }

  /** Starts a job that counts all records anew. @throws Problem `ENTITY_NOT_FOUND` (404) */
  async recount(code: string, principal: Principal): Promise<EntityJob> {
    const { definitions, definitionService, unitOfWork, jobs, catalog } = this.#deps;
    const job = await unitOfWork(async (unit) => {
      const stored = await definitionService.get(code);
      const next = recounted(stored);
      const { generation } = lifeOf(next);
      const started = await jobs.start('RECOUNT', code, { generation }, principal);
      const version = stored.version + 1;
      definitions.stage(unit, { ...withBuild(next, started.id), version }, stored.version);
      return started;
    });
    catalog.forget(code);
    return job;
  }

  #startBuild({ code, life }: EntityDefinition, principal: Principal): Promise<EntityJob> {
    return this.#deps.jobs.start('INDEX', code, { generation: life?.generation }, principal);
  }

  /** Counts how many of the newest records break the rules of a definition that is not in force yet. */
  async #check(definition: EntityDefinition): Promise<SchemaCheck> {
    const { searches, largeValues, clock } = this.#deps;
    const endsAt = clock.now() + CHECK_MS;
    const model = new EntityModel(definition);
    const order = [{ field: 'id', descending: true }];
    const { records } = await findPage(
      { filter: everything, order, skip: 0, size: SAMPLE_SIZE },
      searches.open(model, everything, { isConsistent: true }),
    );
    let checked = 0;
    let invalid = 0;
    for await (const some of largeValues.inParts(model, records)) {
      for (const { values } of some) {
        const visible = Object.entries(values).filter(([code]) => model.field(code) !== undefined);
        const errors = await model.validate(Object.fromEntries(visible));
        if (errors.length > 0) invalid += 1;
        checked += 1;
      }
      if (clock.now() > endsAt) break;
    }
    return { checked, invalid };
  }

  /** Rows of a tree are ordered by label, so the label field cannot change while there are records. */
  async #checkTree(
    stored: EntityDefinition,
    next: EntityDefinition,
    converted: ReadonlySet<string>,
  ): Promise<void> {
    const { hierarchical, layout } = stored;
    const { labelField, treeOrderField } = layout;
    const isSame =
      labelField === next.layout.labelField &&
      treeOrderField === next.layout.treeOrderField &&
      ![labelField, treeOrderField].some((field) => field !== undefined && converted.has(field));
    if (!hierarchical || isSame) return;
    const { live } = await this.#deps.repository.counters(stored, true);
    if (live === 0) return;
    throw problems.schemaIncompatible({
      fields: ['x-label', 'x-tree-order'],
      reason: 'order the tree, and stay as they are while it has records',
    });
  }
}

/** Refuses to change whether a kept constraint tells accents apart: claims that exist were made by the old rule. */
function refuseRetold(
  before: EntityDefinition,
  after: Pick<EntityDefinition, 'fields' | 'uniques'>,
): void {
  const names = new Set(
    after.uniques.filter(({ state }) => state !== 'DROPPING').map(({ name }) => name),
  );
  const kept = before.uniques.filter(({ name, state }) => state !== 'DROPPING' && names.has(name));
  const fields = retold(before.fields, after.fields, kept);
  const reason =
    'changes what x-unique tells apart; remove the constraint first, and add it again with x-unique-accents';
  if (fields.length > 0) throw problems.schemaIncompatible({ fields, reason });
}
