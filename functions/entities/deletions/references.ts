import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { QueryService } from '../queries/query-service.ts';

const PARALLEL = 8;

/** Looks at what refers to records that are being deleted. They are marked, so that nothing new comes. */
export class References {
  readonly #queries: QueryService;
  readonly #jobs: JobService;

  constructor({ queries, jobs }: { queries: QueryService; jobs: JobService }) {
    this.#queries = queries;
    this.#jobs = jobs;
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
    const guarded = incoming.filter(({ onDelete }) => onDelete === 'restrict');
    const checks = ids.flatMap((id) => guarded.map((reference) => ({ ...reference, id })));
    await mapLimited(checks, PARALLEL, async ({ entity, field, id }) => {
      if (!(await this.#queries.isReferenced(entity, field, id, isLeaving))) return;
      const isKnown = await this.#queries.knowsField(entity, field, principal);
      throw problems.referenced(isKnown ? { entity, field } : undefined);
    });
  }

  /** Starts, with the commit of the unit around, the jobs that take references to these records out of others. */
  async clearLater(
    incoming: readonly IncomingReference[],
    ids: readonly string[],
    principal: Principal,
  ): Promise<void> {
    for (const { entity, field, onDelete } of incoming) {
      if (onDelete !== 'setNull') continue;
      const isReferenced = (id: string) => this.#queries.isReferenced(entity, field, id);
      const found = await mapLimited(ids, PARALLEL, isReferenced);
      const referenced = ids.filter((_, at) => found[at]);
      if (referenced.length === 0) continue;
      await this.#jobs.start('CASCADE', entity, { field, ids: referenced }, principal);
    }
  }
}
