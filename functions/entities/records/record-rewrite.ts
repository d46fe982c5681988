import { JobFailure } from '../../../shared/jobs/job.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { overlongKeys } from '../domain/records/index-rows.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { RecordWriter } from './record-writer.ts';

export interface RecordRewriteDependencies {
  readonly journal: RowJournal;
  readonly largeValues: LargeValueStore;
  readonly cipher: FieldCipher;
  readonly writer: RecordWriter;
  readonly unitOfWork: RunUnitOfWork;
}

/** Another record holds a value that has become unique. */
class Taken extends Error {
  readonly constraint: string;

  constructor(constraint: string) {
    super(constraint);
    this.constraint = constraint;
  }
}

/** Rewrites stored records as their definition says by now. */
export class RecordRewrite {
  readonly #deps: RecordRewriteDependencies;

  constructor(dependencies: RecordRewriteDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Brings a record to the generation of a definition, in one conditional write. One that has reached it is only read,
   * unless it could not get a unique value before.
   * @returns names of the constraints whose values another record holds
   * @throws Problem `DEFINITION_CHANGED` (409)
   */
  async run(model: EntityModel, id: string): Promise<readonly string[]> {
    const taken = new Set<string>();
    for (;;) {
      try {
        await this.#deps.unitOfWork((unit) => this.#stage(unit, model, id, taken));
        return [...taken];
      } catch (error) {
        if (!(error instanceof Taken) || taken.has(error.constraint)) throw error;
        taken.add(error.constraint);
      }
    }
  }

  async #stage(
    unit: UnitOfWork,
    model: EntityModel,
    id: string,
    taken: ReadonlySet<string>,
  ): Promise<void> {
    const { journal, largeValues, cipher, writer } = this.#deps;
    const { generation } = model;
    const loaded = await journal.load(model, id);
    if (!loaded) return;
    const { unclaimed = [] } = loaded.header;
    const isReached = loaded.header.generation === generation;
    const isSame = unclaimed.length === taken.size && unclaimed.every((name) => taken.has(name));
    if (isReached && isSame) return;
    const before = await cipher.decrypt(model, await largeValues.complete(model, loaded));
    refuseOverlong(model, before);
    const after: RecordHeader = { ...before, generation, unclaimed: [...taken] };
    await writer.rewrite(unit, model, { before, after }, ({ name }) => new Taken(name));
  }
}

/** Fails the job for a record whose values an index cannot hold: without its row it would be missing in lists. */
function refuseOverlong(model: EntityModel, header: RecordHeader): void {
  const [overlong] = header.deletedAt === undefined ? overlongKeys(model, header) : [];
  if (!overlong) return;
  const { fields } = overlong;
  throw new JobFailure(
    `The values of ${fields.join(', ')} are too long for one index; shorten them, or leave the index out.`,
    { recordId: header.id, fields },
  );
}
