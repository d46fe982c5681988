import type { StepOutcome } from '../../../shared/jobs/job.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { addChanges, type ChangeCounts, NO_CHANGES } from '../domain/transfer/change-counts.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { RecordWalk } from '../queries/record-walk.ts';
import type { JobNotes } from '../rehearsals/job-notes.ts';
import type { ChangeLanes } from '../store/jobs/change-lanes.ts';
import type { FieldCipher, SealedValues } from '../store/values/field-cipher.ts';
import type { ChangePreview } from './change-preview.ts';
import type { ChangeScopes, StartedChange } from './change-request.ts';
import type { ChangeCall, RecordChanges } from './record-changes.ts';

export interface MassChangeJobDependencies {
  readonly catalog: EntityCatalog;
  readonly scopes: ChangeScopes;
  readonly walk: RecordWalk;
  readonly lanes: ChangeLanes;
  readonly changes: RecordChanges;
  readonly preview: ChangePreview;
  readonly notes: Pick<JobNotes, 'clear'>;
  readonly cipher: FieldCipher;
  readonly clock: Clock;
}

/** What is kept with a job `BULK_UPDATE` or `BULK_DELETE`. */
interface ChangeInput {
  readonly request: Omit<StartedChange, 'data'>;
  /** Values of an update, those of encrypted fields as cipher texts. */
  readonly data?: SealedValues;
  readonly principal: Principal;
}

interface ChangeProgress {
  /** Number of the walk over all records: deletions walk again while records may go that others kept before. */
  readonly pass?: number;
  /** Deletions of the walks before. */
  readonly before?: number;
  /** Id after which the walk goes on. */
  readonly after?: string | undefined;
  /** What a dry run has counted. */
  readonly foretold?: ChangeCounts;
  /** Where it is kept what the dry run knows besides. */
  readonly slot?: number | undefined;
  /** Whether a dry run has met all records. */
  readonly isRead?: boolean;
}

/** A step begins no further records after this time, or after so many. */
const STEP_MS = 10_000;
const STEP_RECORDS = 500;
/** Walks of a deletion. A record can go after those below it, which may have higher ids, so each walk takes one level of a tree at least. */
const MAX_PASSES = 100;

/**
 * Changes or deletes the records that meet a filter, lowest id first. Each record is judged anew when it is reached, and
 * changed in one transaction with the place that the job has come to.
 */
export class MassChangeJob {
  readonly #deps: MassChangeJobDependencies;

  constructor(dependencies: MassChangeJobDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `BULK_UPDATE` or `BULK_DELETE`. */
  async step(job: EntityJob): Promise<StepOutcome> {
    return this.#deps.catalog.withEntity(job.subject, async (model) => {
      const { request: kept, data, principal } = inputOf(job);
      const sent = data && { data: (await this.#deps.cipher.decrypt(model, data)).values };
      const request = { ...kept, ...sent };
      const filter = await this.#deps.scopes.of(model, request, principal);
      const call = { jobId: job.id, model, request, principal, filter };
      return request.dryRun ? this.#foretell(job, call) : this.#change(job, call);
    });
  }

  /** What was changed stays, and the lanes expire with the job. */
  async clear(job: EntityJob): Promise<void> {
    if (inputOf(job).request.dryRun) await this.#deps.notes.clear(job.id);
  }

  async #change(job: EntityJob, call: ChangeCall): Promise<StepOutcome> {
    const { lanes, changes } = this.#deps;
    const { pass = 0, before = 0, after } = job.progress as ChangeProgress;
    const working = await lanes.load(job.id, pass);
    const place = await this.#follow(call, after, (records) => changes.run(call, records, working));
    const counts = addChanges(working.map((lane) => lane.counts));
    const mayHelp = call.request.op === 'delete' && counts.waiting > 0 && counts.changed > 0;
    const isAgain = place.isEnd && mayHelp && pass + 1 < MAX_PASSES;
    const deleted = before + counts.changed;
    const outcome = toOutcome(job, call.request, { ...counts, changed: deleted });
    const next = isAgain
      ? { pass: pass + 1, before: deleted }
      : { pass, before, after: place.after };
    return { ...outcome, isDone: place.isEnd && !isAgain, progress: next };
  }

  async #foretell(job: EntityJob, call: ChangeCall): Promise<StepOutcome> {
    const { preview } = this.#deps;
    const { after, foretold = NO_CHANGES, slot, isRead } = job.progress as ChangeProgress;
    if (isRead) {
      await this.clear(job);
      return { isDone: true };
    }
    const dryRun = await preview.of(call, { job: job.id, slot });
    const place = await this.#follow(call, after, async (records) => {
      for (const record of records) await dryRun.take(record);
    });
    const { isEnd } = place;
    const next = await dryRun.end({ isEnd, foretold, maxPasses: MAX_PASSES });
    const { counts } = next;
    const { result, ...outcome } = toOutcome(job, call.request, counts);
    return {
      ...{ ...outcome, result: { ...result, ...(!next.isExact && { exact: false }) } },
      isDone: isEnd && slot === undefined,
      progress: { after: place.after, foretold: counts, slot: next.slot, isRead: isEnd },
    };
  }

  /** Follows the records up to the limits of a step. */
  async #follow(
    { model, filter, request }: ChangeCall,
    from: string | undefined,
    take: (records: readonly RecordHeader[]) => Promise<void>,
  ): Promise<{ readonly after: string | undefined; readonly isEnd: boolean }> {
    const { walk, clock } = this.#deps;
    const endsAt = clock.now() + STEP_MS;
    const isLate = (): boolean => clock.now() > endsAt;
    const until = toInstant(request.moment.ms);
    let after = from;
    let count = 0;
    const walked = { model, filter, fields: [] };
    for await (const stretch of walk.follow(walked, { after, isLate })) {
      const due = stretch.records.filter(({ createdAt }) => createdAt <= until);
      await take(due);
      after = stretch.after;
      count += due.length;
      if (isLate() || count >= STEP_RECORDS) return { after, isEnd: false };
    }
    return { after, isEnd: true };
  }
}

const inputOf = ({ input }: EntityJob): ChangeInput => input as unknown as ChangeInput;

function toOutcome(
  job: EntityJob,
  { op, dryRun }: StartedChange,
  { changed, unchanged, failed, failures }: ChangeCounts,
): Pick<StepOutcome, 'processed' | 'result'> {
  const done = op === 'update' ? { updated: changed, unchanged } : { deleted: changed };
  return {
    processed: changed + unchanged + failed - job.processed,
    result: { dryRun, ...done, failed, failures },
  };
}
