import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { currentUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { IsLeaving, Referring } from '../queries/references.ts';
import { JointWrites } from '../records/joint-writes.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';

export interface ReferencesDependencies {
  readonly queries: Pick<QueryService, 'referringTo' | 'knowsField'>;
  readonly definitions: DefinitionRepository;
  readonly jobs: JobService;
}

const PARALLEL = 8;
const UNCLEAR: Partial<Record<Referring, string>> = {
  unknown: 'the index of the field is being built; try again when its job has ended',
  unsearchable: 'the field is not searchable, so its references should have the onDelete none',
};

/** Looks for references to records that are being deleted. These are marked first, so no new reference can come. */
export class References {
  readonly #deps: ReferencesDependencies;

  constructor(dependencies: ReferencesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Looks at once, or before the commit of the unit around: others of its changes may take the references away.
   * @param isLeaving whether a record of an entity is deleted along with them
   * @throws Problem `REFERENCED` (409), which names the field to who may know it
   */
  async refuse(
    incoming: readonly IncomingReference[],
    ids: readonly string[],
    isLeaving: (entity: string, record: RecordHeader) => ReturnType<IsLeaving>,
    principal: Principal,
  ): Promise<void> {
    const unit = currentUnitOfWork();
    const look = async (): Promise<void> => {
      const guarded = await this.#current(incoming, 'restrict');
      const checks = ids.flatMap((id) => guarded.map((reference) => ({ ...reference, id })));
      await mapLimited(checks, PARALLEL, async ({ model, entity, field, id }) => {
        const isGone = async (record: RecordHeader): Promise<boolean> =>
          (await isLeaving(entity, record)) ||
          (unit !== undefined && isFreed(unit, entity, record, field, id));
        const referring = await this.#deps.queries.referringTo(model, field, id, isGone);
        if (referring !== 'none') throw await this.#refusal(entity, field, referring, principal);
      });
    };
    return unit ? unit.beforeCommit(look) : look();
  }

  async #refusal(
    entity: string,
    field: string,
    referring: Exclude<Referring, 'none'>,
    principal: Principal,
  ): Promise<Error> {
    const isKnown = await this.#deps.queries.knowsField(entity, field, principal);
    const unclear = UNCLEAR[referring];
    return problems.referenced(
      isKnown ? { entity, field, ...(unclear && { unclear }) } : undefined,
    );
  }

  /** Starts, with the commit of the unit around, a job for each field with `setNull` whose references must be cleared. */
  async clearLater(
    incoming: readonly IncomingReference[],
    ids: readonly string[],
    principal: Principal,
  ): Promise<void> {
    const { queries, jobs } = this.#deps;
    for (const { model, entity, field } of await this.#current(incoming, 'setNull')) {
      const referringTo = (id: string) => queries.referringTo(model, field, id);
      const found = await mapLimited(ids, PARALLEL, referringTo);
      const referenced = ids.filter((_, at) => found[at] !== 'none');
      if (referenced.length === 0) continue;
      await jobs.start('CASCADE', entity, { field, ids: referenced }, principal);
    }
  }

  /** References of a kind, with their entities as they are now; records of a deleted entity reference nothing. */
  async #current(incoming: readonly IncomingReference[], onDelete: IncomingReference['onDelete']) {
    const wanted = incoming.filter((reference) => reference.onDelete === onDelete);
    const codes = [...new Set(wanted.map(({ entity }) => entity))];
    const found = await mapLimited(codes, PARALLEL, (code) => this.#deps.definitions.find(code));
    const models = new Map(
      found.flatMap((definition): [string, EntityModel][] =>
        definition?.status === 'ACTIVE' ? [[definition.code, new EntityModel(definition)]] : [],
      ),
    );
    return wanted.flatMap((reference) => {
      const model = models.get(reference.entity);
      return model ? [{ ...reference, model }] : [];
    });
  }
}

/** Whether a unit takes a reference out of a record, or the record with it. */
function isFreed(
  unit: UnitOfWork,
  entity: string,
  { id }: RecordHeader,
  field: string,
  target: string,
): boolean {
  const { after } = JointWrites.changeIn(unit, entity, id) ?? {};
  if (!after) return false;
  const value = after.values[field];
  return after.deletedAt !== undefined || ![value].flat().includes(target);
}
