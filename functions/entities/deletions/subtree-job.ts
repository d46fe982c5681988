import { JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import { MarkLost } from '../store/deletion-marks.ts';
import type { SubtreeDeletion } from '../store/open-work.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { Subtree, SubtreeCall } from './subtree.ts';
import { SubtreeWalk } from './subtree-walk.ts';

export interface SubtreeJobDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly access: EntityAccess;
  readonly subtree: Subtree;
  readonly clock: Clock;
}

interface Input extends SubtreeDeletion {
  /** What the first step does: `undo` where the call has ended before it deleted anything. */
  readonly phase: 'mark' | 'undo';
}

interface Progress {
  readonly phase?: 'mark' | 'remove' | 'undo';
  /** Place of the walk in the tree. */
  readonly path?: readonly string[];
  /** Why nothing is deleted. */
  readonly refusal?: { readonly code: string; readonly detail: string };
}

/** One step at most; a job saves its place after each. */
const STEP_MS = 10_000;
const STEP_RECORDS = 1_000;
/** Problems that may be over when the step is repeated. */
const PASSING: ReadonlySet<string> = new Set(['CONCURRENT_UPDATE', 'DEFINITION_CHANGED']);
/** Records that are read at once to be deleted. */
const BATCH = 90;

/** Deletes a subtree step by step: marks it, then deletes it from its leaves up, or takes the marks off. */
export class SubtreeJob {
  readonly #deps: SubtreeJobDependencies;

  constructor(dependencies: SubtreeJobDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `DELETE`. @throws JobFailure when the subtree may not be deleted, and its marks are gone */
  async step(job: EntityJob): Promise<StepOutcome> {
    const deletion = job.input as unknown as Input;
    const progress = job.progress as Progress;
    const definition = await this.#deps.definitions.find(job.subject);
    if (!definition) throw new JobFailure('The entity does not exist any more.');
    const incoming = definition.incoming.filter(({ onDelete }) => onDelete !== 'none');
    const call = { model: new EntityModel(definition), incoming, deletion };
    switch (progress.phase ?? deletion.phase) {
      case 'mark':
        return this.#mark(call, progress);
      case 'remove':
        return this.#remove(call);
      case 'undo':
        return this.#undo(call, progress);
    }
  }

  /** Marks the next records. When one of them may not be deleted, the job takes all marks off again. */
  async #mark(call: SubtreeCall, { path = [] }: Progress): Promise<StepOutcome> {
    try {
      return await this.#markSome(call, path);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500 || PASSING.has(error.code))
        throw error;
      const refusal = { code: error.code, detail: error.detail };
      return { isDone: false, progress: { phase: 'undo', refusal } };
    }
  }

  async #markSome(call: SubtreeCall, path: readonly string[]): Promise<StepOutcome> {
    const { access, repository, subtree } = this.#deps;
    const { model, deletion } = call;
    const { id, mark, principal } = deletion;
    const root = await repository.findHeader(model.code, id);
    if (!root || root.deletedAt !== undefined) return { isDone: true };
    const grant = await access.check(model, principal, 'delete');
    const marked = root.deleting === mark ? root : await subtree.markRoot(call);
    if (!marked) return { isDone: true };
    await subtree.refuseReferenced(call, [marked]);
    const walk = new SubtreeWalk(repository, model.code, path);
    const isOver = this.#limit();
    for await (const siblings of walk.below(id)) {
      await subtree.mark(call, siblings, grant);
      if (isOver(siblings.ids.length)) return { isDone: false, progress: at('mark', walk) };
    }
    return { isDone: false, progress: { phase: 'remove' } };
  }

  /** Where a mark is gone, the subtree is marked again. */
  async #remove(call: SubtreeCall): Promise<StepOutcome> {
    try {
      return await this.#removeSome(call);
    } catch (error) {
      if (!(error instanceof MarkLost)) throw error;
      return { isDone: false, progress: { phase: 'mark' } };
    }
  }

  async #removeSome(call: SubtreeCall): Promise<StepOutcome> {
    const { repository, subtree } = this.#deps;
    const { model, deletion } = call;
    const isOver = this.#limit();
    let processed = 0;
    for await (const ids of batches(new SubtreeWalk(repository, model.code).upTo(deletion.id))) {
      const found = await repository.findHeaders(model.code, ids, true);
      const headers = ids.flatMap((id): RecordHeader[] => {
        const header = found.get(id);
        return header && header.deletedAt === undefined ? [header] : [];
      });
      for await (const group of subtree.groups(call, headers)) {
        await subtree.delete(call, group, () => undefined);
        processed += group.length;
      }
      if (isOver(ids.length) && ids.at(-1) !== deletion.id) return { isDone: false, processed };
    }
    return { isDone: true, processed };
  }

  async #undo(call: SubtreeCall, { path = [], refusal }: Progress): Promise<StepOutcome> {
    const { repository, subtree } = this.#deps;
    const { model, deletion } = call;
    const walk = new SubtreeWalk(repository, model.code, path);
    const isOver = this.#limit();
    for await (const { ids } of walk.below(deletion.id)) {
      await subtree.free(call, ids);
      if (isOver(ids.length)) {
        return { isDone: false, progress: { ...at('undo', walk), ...(refusal && { refusal }) } };
      }
    }
    await subtree.free(call, [deletion.id]);
    const { code = 'INTERRUPTED', detail = 'The call was interrupted; nothing was deleted.' } =
      refusal ?? {};
    throw new JobFailure(detail, { code });
  }

  #limit(): (records: number) => boolean {
    const { clock } = this.#deps;
    const endsAt = clock.now() + STEP_MS;
    let count = 0;
    return (records) => {
      count += records;
      return count >= STEP_RECORDS || clock.now() >= endsAt;
    };
  }
}

const at = (phase: 'mark' | 'undo', { path }: SubtreeWalk) => ({ phase, path });

async function* batches(ids: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const id of ids) {
    batch.push(id);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
