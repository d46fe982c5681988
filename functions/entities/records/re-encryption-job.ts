import type { StepOutcome } from '../../../shared/jobs/job.ts';
import type { ReEncryption } from '../../../shared/ports/re-encryption.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import {
  allTexts,
  NO_TEXTS,
  RenewedTexts,
  type TextCounts,
} from '../../../shared/re-encryption/renewed-texts.ts';
import { RoundWork } from '../../../shared/re-encryption/round-work.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { BUNDLE, digestOf, unbundled } from '../domain/records/large-values.ts';
import type { LoadedRecord } from '../domain/records/loaded-record.ts';
import type { DeletedRow } from '../domain/search/source.ts';
import type { EntityJob, JobKind, JobService } from '../jobs/job-service.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { stageSealed } from '../store/record-staging.ts';
import type { FieldCipher, SealedValues } from '../store/values/field-cipher.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface ReEncryptionJobDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly cipher: FieldCipher;
  readonly unitOfWork: RunUnitOfWork;
  readonly jobs: JobService;
  /** The re-encryption of the settings module. */
  readonly reEncryption: () => ReEncryption;
}

/** How far the walk over the records of all entities is. */
interface Progress {
  /** Code of the entity; absent: after `past`. */
  readonly code?: string;
  readonly past?: string;
  readonly shard?: number;
  /** Id of the last live record. */
  readonly after?: string;
  /** The trash follows the live records. */
  readonly inTrash?: boolean;
  readonly deleted?: DeletedRow;
  readonly counts?: TextCounts;
}

const MODULE = 'entities';
/** Stands for all entities. */
const ALL = '*';
const PAGE_SIZE = 50;
/** Definitions that one step looks at. */
const DEFINITIONS = 20;

/** Moves the cipher texts of all records to the newest key when a re-encryption asks for it. */
export class ReEncryptionJob {
  readonly #deps: ReEncryptionJobDependencies;
  readonly #rounds: RoundWork<JobKind>;

  constructor(dependencies: ReEncryptionJobDependencies) {
    this.#deps = dependencies;
    this.#rounds = new RoundWork({
      ...dependencies,
      ...{ module: MODULE, kind: 'RE_ENCRYPT', subject: ALL },
    });
  }

  /** Starts the job of an open round, once. @returns whether there was one */
  takeRound(): Promise<boolean> {
    return this.#rounds.take();
  }

  async step(job: EntityJob): Promise<StepOutcome> {
    const progress = job.progress as Progress;
    await this.#deps.cipher.refreshKeys();
    if (progress.code === undefined) return this.#nextEntity(job, progress);
    const definition = await this.#deps.definitions.find(progress.code);
    if (!definition) return advance(ended(progress.code, progress), NO_TEXTS);
    return progress.inTrash
      ? this.#moveTrash(definition, progress)
      : this.#moveLive(definition, progress);
  }

  /** A walk that failed: no key is removed. */
  async clear(job: EntityJob): Promise<void> {
    await this.#rounds.failed(job);
  }

  /** Entities without encrypted fields, now and before, hold no cipher texts. */
  async #nextEntity(
    job: EntityJob,
    { past = '', counts = NO_TEXTS }: Progress,
  ): Promise<StepOutcome> {
    const { definitions } = this.#deps;
    const codes = (await definitions.list()).map(({ code }) => code).filter((code) => code > past);
    const next = codes.sort().slice(0, DEFINITIONS);
    for (const code of next) {
      const definition = await definitions.find(code);
      if (definition && (await this.#mayHaveTexts(definition))) {
        return { isDone: false, progress: { code, shard: 0, counts } };
      }
    }
    if (next.length < codes.length)
      return { isDone: false, progress: { past: next.at(-1), counts } };
    const all = allTexts(counts, await this.#moveJobs());
    await this.#rounds.done(job, all);
    return { isDone: true, result: { moved: all.moved, unreadable: all.unreadable } };
  }

  /** Changes by filter keep values of encrypted fields as cipher texts until they end. */
  async #moveJobs(): Promise<TextCounts> {
    const { jobs, cipher } = this.#deps;
    let counts = NO_TEXTS;
    await jobs.renewInputs(async ({ input }) => {
      const data = input.data as SealedValues | undefined;
      if (!data) return undefined;
      const found = new RenewedTexts((text) => cipher.renew(text));
      const values = await newestIn(data.values, found);
      counts = allTexts(counts, found.counts);
      return found.counts.moved > 0 ? { ...input, data: { ...data, values } } : undefined;
    });
    return counts;
  }

  async #mayHaveTexts({ code, fields, schemaVersion }: EntityDefinition): Promise<boolean> {
    if (fields.some(({ encrypted }) => encrypted)) return true;
    const versions = await this.#deps.definitions.versions(code);
    return (
      versions.length < schemaVersion || versions.some(({ schemaText }) => hasEncrypted(schemaText))
    );
  }

  async #moveLive(definition: EntityDefinition, progress: Progress): Promise<StepOutcome> {
    const { code, options } = definition;
    const { shard = 0, after } = progress;
    const place = { after, limit: PAGE_SIZE };
    const { ids, isEnd } = await this.#deps.repository.ids(code, shard, place);
    const moved = await this.#moveAll(code, ids);
    const { after: _after, ...known } = progress;
    if (!isEnd) return advance({ ...known, after: ids.at(-1) ?? '' }, moved);
    return shard + 1 < options.shards
      ? advance({ ...known, shard: shard + 1 }, moved)
      : advance({ ...known, inTrash: true }, moved);
  }

  async #moveTrash({ code }: EntityDefinition, progress: Progress): Promise<StepOutcome> {
    const { rows, isEnd } = await this.#deps.repository.trash(code, {
      after: progress.deleted,
      oldestFirst: true,
      limit: PAGE_SIZE,
    });
    const moved = await this.#moveAll(
      code,
      rows.map(({ id }) => id),
    );
    const last = rows.at(-1);
    return isEnd || !last
      ? advance(ended(code, progress), moved)
      : advance({ ...progress, deleted: { ...last } }, moved);
  }

  async #moveAll(code: string, ids: readonly string[]): Promise<TextCounts> {
    let counts = NO_TEXTS;
    for (const id of ids) counts = allTexts(counts, await this.#move(code, id));
    return counts;
  }

  async #move(code: string, id: string): Promise<TextCounts> {
    const { repository, unitOfWork } = this.#deps;
    const counts = await unitOfWork(async (unit) => {
      const loaded = await repository.load(code, id);
      return loaded ? this.#stage(unit, code, loaded) : NO_TEXTS;
    });
    faultPoint('entities.after-seal');
    return counts;
  }

  async #stage(
    unit: UnitOfWork,
    code: string,
    { header, large }: LoadedRecord,
  ): Promise<TextCounts> {
    const { largeValues } = this.#deps;
    const found = new RenewedTexts((text) => this.#deps.cipher.renew(text));
    const values = await newestIn(header.values, found);
    const digests = { ...header.digests };
    for (const [field, value] of large) {
      const text = await largeValues.text(value);
      const newest = await newestOf(field, text, found);
      if (newest === text) continue;
      await largeValues.stage(unit, code, header.id, { name: field, text: newest });
      digests[field] = digestOf(newest) ?? '';
      if ('object' in value) largeValues.eraseLater(unit, code, header.id, [value.object]);
    }
    if (found.counts.moved > 0) {
      stageSealed(unit, code, header, { values, digests });
    }
    return found.counts;
  }
}

/** Values with their cipher texts under the newest key. */
async function newestIn(
  values: RecordHeader['values'],
  found: RenewedTexts,
): Promise<RecordHeader['values']> {
  const newest: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(values)) newest[field] = await found.newest(value);
  return newest as RecordHeader['values'];
}

/** A stored text with its cipher texts under the newest key. */
async function newestOf(name: string, text: string, found: RenewedTexts): Promise<string> {
  if (name !== BUNDLE) {
    const old: unknown = JSON.parse(text);
    const newest = await found.newest(old);
    return newest === old ? text : JSON.stringify(newest);
  }
  const values: Record<string, unknown> = {};
  let isMoved = false;
  for (const [field, old] of Object.entries(unbundled(name, text))) {
    values[field] = await found.newest(old);
    isMoved ||= values[field] !== old;
  }
  return isMoved ? JSON.stringify(values) : text;
}

const ended = (code: string, { counts }: Progress): Progress => ({
  past: code,
  ...(counts && { counts }),
});

const advance = (progress: Progress, counts: TextCounts): StepOutcome => ({
  isDone: false,
  processed: counts.processed,
  progress: { ...progress, counts: allTexts(progress.counts ?? NO_TEXTS, counts) },
});

/** Whether a schema has the keyword, in whatever way its text escapes it. */
function hasEncrypted(schemaText: string): boolean {
  return JSON.stringify(JSON.parse(schemaText)).includes('"x-encrypted"');
}
