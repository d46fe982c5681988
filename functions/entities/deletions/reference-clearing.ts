import type { StepOutcome } from '../../../shared/jobs/job.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { Position } from '../domain/query/order.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { withoutReferences } from '../domain/records/change.ts';
import { findPage } from '../domain/search/run.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { Searches } from '../queries/searches.ts';
import type { RecordReader } from '../records/record-reader.ts';
import type { RecordWriter } from '../records/record-writer.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import { stageTargetGone } from '../store/record-staging.ts';

export interface ReferenceClearingDependencies {
  readonly definitions: DefinitionRepository;
  readonly searches: Searches;
  readonly reader: RecordReader;
  readonly writer: RecordWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

const PAGE_SIZE = 100;

/** A record whose references are being cleared is live again. */
class TargetRestored extends Error {}

/** Takes references with the onDelete `setNull` out of records when their targets are deleted. */
export class ReferenceClearing {
  readonly #deps: ReferenceClearingDependencies;

  constructor(dependencies: ReferenceClearingDependencies) {
    this.#deps = dependencies;
  }

  /** The next step of a job `CASCADE`. A reference stays when its target is restored. */
  async step({ subject: entity, input, progress }: EntityJob): Promise<StepOutcome> {
    const { definitions, searches } = this.#deps;
    const definition = await definitions.find(entity);
    if (!definition) return { isDone: true };
    const model = new EntityModel(definition);
    const { field, ids, at } = clearingOf({ ...input, ...progress });
    const [id, ...others] = ids;
    if (id === undefined || !model.queryField(field)) return { isDone: true };
    const filter = parseFilterObject({ [field]: id }, model);
    const order = [{ field: 'id', descending: true }];
    const { records, next } = await findPage(
      { filter, order, skip: 0, size: PAGE_SIZE, position: at },
      searches.open(model, filter, { isConsistent: true }),
    );
    const isOver = await this.#clearAll(model, records, field, id);
    const rest = next && !isOver ? { left: ids, at: next.position } : { left: others };
    return { isDone: rest.left.length === 0, processed: records.length, progress: rest };
  }

  /** @returns whether the target was restored, so that the references are right again */
  async #clearAll(
    model: EntityModel,
    records: readonly RecordHeader[],
    field: string,
    target: string,
  ): Promise<boolean> {
    try {
      for (const { id } of records) await this.#clear(model, id, field, target);
      return false;
    } catch (error) {
      if (error instanceof TargetRestored) return true;
      throw error;
    }
  }

  async #clear(model: EntityModel, id: string, field: string, target: string): Promise<void> {
    const { reader, writer, unitOfWork, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const stored = await reader.stored(model, id);
      if (!stored || stored.deletedAt !== undefined) return;
      if (id === target) throw new TargetRestored();
      const { reference } = model.field(field) ?? {};
      if (reference) stageTargetGone(unit, reference.entity, target, () => new TargetRestored());
      const before = await reader.decrypted(model, stored);
      const after: RecordHeader = {
        ...before,
        values: withoutReferences(before.values, field, (each) => each === target),
        version: before.version + 1,
        generation: model.generation,
        updatedAt: toInstant(clock.now()),
        updatedBy: systemPrincipal.id,
      };
      await writer.stage(unit, model, {
        action: 'UPDATED',
        before,
        after,
        principal: systemPrincipal,
        otherwise: 'retry',
      });
    });
  }
}

/** A job to clear references; earlier ones name a single record. */
function clearingOf({ field, id, ids, left, at }: EntityJob['input']): {
  readonly field: string;
  readonly ids: readonly string[];
  /** Where the list of the records that refer to the first of them goes on. */
  readonly at: Position | undefined;
} {
  const all = (left ?? ids ?? [id]) as readonly string[];
  return { field: String(field), ids: all, at: at as Position | undefined };
}
