import type { Clock } from '../../../shared/primitives/clock.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { Stretch } from '../domain/search/follow.ts';
import type { RecordWalk } from '../queries/record-walk.ts';
import { ExportFile, type ExportRequest, type Written } from './export-file.ts';

export interface ExportReaderDependencies {
  readonly walk: RecordWalk;
  readonly catalog: EntityCatalog;
  readonly clock: Clock;
}

/** Input of a step of an export. */
export interface ReadFrom {
  readonly jobId: string;
  readonly entity: string;
  readonly request: ExportRequest;
  /** Text before the records; `undefined` at the beginning of the file. */
  readonly text: Uint8Array | undefined;
  readonly count: number;
  readonly after: string | undefined;
}

/** A step rereads the definition: no index that it reads is deleted so soon. */
const MAX_STEP_MS = 5_000;

/** The walk of the step before, in the same process. */
interface OpenWalk {
  readonly jobId: string;
  readonly after: string | undefined;
  readonly model: EntityModel;
  readonly records: AsyncIterator<Stretch>;
}

/** Reads the records of an export for a step; the next step in the same process continues without planning again. */
export class ExportReader {
  readonly #deps: ExportReaderDependencies;
  #open: OpenWalk | undefined;
  #endsAt = 0;

  constructor(dependencies: ExportReaderDependencies) {
    this.#deps = dependencies;
  }

  /** Adds records to a text, up to a size or the time of a step. */
  async read(
    { jobId, entity, request, text, count, after }: ReadFrom,
    wantedBytes: number,
  ): Promise<Written> {
    const { catalog, clock } = this.#deps;
    this.#endsAt = clock.now() + MAX_STEP_MS;
    const isLate = (): boolean => clock.now() > this.#endsAt;
    const model = await catalog.withEntity(entity, async (current) => current);
    const file = new ExportFile(model, request);
    const chunk = Buffer.from(text ?? (await file.head()));
    const records =
      this.#takeOpen(jobId, model, after) ?? this.#plan(model, request, after, isLate);
    const begun = { chunks: [chunk], bytes: chunk.length, count, after };
    const isFull = (bytes: number): boolean => bytes >= wantedBytes || isLate();
    const written = await file.append(model, records, begun, isFull);
    if (written.isEnd) return { ...written, chunks: [...written.chunks, Buffer.from(file.tail)] };
    this.#open = { jobId, after: written.after, model, records };
    return written;
  }

  #plan(
    model: EntityModel,
    { filter }: ExportRequest,
    after: string | undefined,
    isLate: () => boolean,
  ): AsyncIterator<Stretch> {
    return this.#deps.walk.follow(model, filter, { after, isLate });
  }

  #takeOpen(
    jobId: string,
    model: EntityModel,
    after: string | undefined,
  ): AsyncIterator<Stretch> | undefined {
    const open = this.#open;
    this.#open = undefined;
    const goesOn = open?.jobId === jobId && open.after === after && open.model === model;
    return goesOn ? open.records : undefined;
  }
}
