import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';

export interface ReferencesDependencies {
  readonly queries: Pick<QueryService, 'isReferenced' | 'knowsField'>;
  readonly definitions: DefinitionRepository;
  readonly jobs: JobService;
}

const PARALLEL = 8;

/** Looks at what refers to records that are being deleted. They are marked, so that nothing new comes. */
export class References {
  readonly #deps: ReferencesDependencies;

  constructor(dependencies: ReferencesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param isLeaving whether a record is deleted along with them
   * @throws Problem `REFERENCED` (409), which names the field to who may know it
   */
  async refuse(
    incoming: readonly IncomingReference[],
    ids: readonly string[],
    isLeaving: (record: RecordHeader) => boolean,
    principal: Principal,
  ): Promise<void> {
    const { queries } = this.#deps;
    const guarded = await this.#current(incoming, 'restrict');
    const checks = ids.flatMap((id) => guarded.map((reference) => ({ ...reference, id })));
    await mapLimited(checks, PARALLEL, async ({ model, entity, field, id }) => {
      if (!(await queries.isReferenced(model, field, id, isLeaving))) return;
      const isKnown = await queries.knowsField(entity, field, principal);
      throw problems.referenced(isKnown ? { entity, field } : undefined);
    });
  }

  /** Starts, with the commit of the unit around, the jobs that take references to these records out of others. */
  async clearLater(
    incoming: readonly IncomingReference[],
    ids: readonly string[],
    principal: Principal,
  ): Promise<void> {
    const { queries, jobs } = this.#deps;
    for (const { model, entity, field } of await this.#current(incoming, 'setNull')) {
      const isReferenced = (id: string) => queries.isReferenced(model, field, id);
      const found = await mapLimited(ids, PARALLEL, isReferenced);
      const referenced = ids.filter((_, at) => found[at]);
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
