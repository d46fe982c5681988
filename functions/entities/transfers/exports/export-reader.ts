import type { Clock } from '../../../../shared/primitives/clock.ts';
import { type Principal, systemPrincipal } from '../../../../shared/security/principal.ts';
import type { EntityAccess } from '../../access/entity-access.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import { everything } from '../../domain/query/filter.ts';
import type { Moment } from '../../domain/query/moments.ts';
import type { Stretch } from '../../domain/search/long/stretches.ts';
import type { ExportRequest, Written } from './export-file.ts';
import type { ExportParameters, ExportScopes } from './export-scope.ts';
import type { ExportSource } from './export-source.ts';

/** An export that goes on after its call. */
export interface LongExportRequest extends Omit<ExportRequest, 'filter'> {
  /** Jobs of earlier versions have it. */
  readonly filter?: ExportRequest['filter'];
  /** Who asked for what: each step judges it anew. Jobs of earlier versions lack it. */
  readonly asked?: {
    readonly parameters: ExportParameters;
    readonly principal: Principal;
    /** When it was asked for. Jobs of earlier versions lack it. */
    readonly moment?: Moment;
  };
}

export interface ExportReaderDependencies {
  readonly access: EntityAccess;
  readonly scopes: ExportScopes;
  readonly source: ExportSource;
  readonly catalog: EntityCatalog;
  readonly clock: Clock;
}

/** Input of a step of an export. */
export interface ReadFrom {
  readonly jobId: string;
  readonly entity: string;
  readonly request: LongExportRequest;
  /** Text before the records; `undefined` at the beginning of the file. */
  readonly text: Uint8Array | undefined;
  readonly count: number;
  readonly after: string | undefined;
}

/** A step ends before an index that it reads can be deleted; the next one reads the definition again. */
const MAX_STEP_MS = 5_000;

/** What a step has read, and the encrypted fields that it left out. */
export interface StepText extends Written {
  readonly leftOut: readonly string[];
  /** Grant by which the step has read. */
  readonly grantedBy: readonly string[];
}

/** How far a walk is, and what it was planned for. */
interface WalkPlace {
  readonly jobId: string;
  readonly after: string | undefined;
  readonly model: EntityModel;
  readonly scope: string;
}

/** The walk of the step before, in the same process. */
interface OpenWalk extends WalkPlace {
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

  /**
   * Adds records to a text, up to a size or the time of a step.
   * @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403), `ENTITY_NOT_FOUND` (404) when what was asked for is
   *   no longer there, or no longer allowed
   */
  async read(
    { jobId, entity, request: begunWith, text, count, after }: ReadFrom,
    wantedBytes: number,
  ): Promise<StepText> {
    const { catalog, clock, source } = this.#deps;
    this.#endsAt = clock.now() + MAX_STEP_MS;
    const isLate = (): boolean => clock.now() > this.#endsAt;
    const { model, request } = await catalog.withEntity(entity, (current) =>
      this.#judged(current, begunWith),
    );
    const principal = begunWith.asked?.principal ?? systemPrincipal;
    const file = await source.file(model, request, principal);
    const { leftOut } = file;
    const grantedBy = [request.grantedBy ?? []].flat();
    const chunk = Buffer.from(text ?? (await file.head()));
    const { filter, order, visible } = request;
    const place = { jobId, after, model, scope: JSON.stringify([filter, order, visible]) };
    const records =
      this.#takeOpen(place) ?? source.records(model, request, principal, { after, isLate });
    const begun = { chunks: [chunk], bytes: chunk.length, count, after };
    const isFull = (bytes: number): boolean => bytes >= wantedBytes || isLate();
    const written = await file.append(model, records, begun, isFull);
    if (written.isEnd) {
      return {
        ...written,
        leftOut,
        grantedBy,
        chunks: [...written.chunks, Buffer.from(file.tail)],
      };
    }
    this.#open = { ...place, after: written.after, records };
    return { ...written, leftOut, grantedBy };
  }

  /** The request by the definition and the grants of this step. */
  async #judged(
    model: EntityModel,
    request: LongExportRequest,
  ): Promise<{ readonly model: EntityModel; readonly request: ExportRequest }> {
    const { filter = everything } = request;
    if (!request.asked) return { model, request: { ...request, filter } };
    const { access, scopes } = this.#deps;
    const { parameters, principal, moment = access.moment() } = request.asked;
    const scope = await scopes.judged(model, parameters, principal, moment);
    return { model, request: { ...request, ...scope } };
  }

  #takeOpen({ jobId, after, model, scope }: WalkPlace): AsyncIterator<Stretch> | undefined {
    const open = this.#open;
    this.#open = undefined;
    const goesOn =
      open?.jobId === jobId && open.after === after && open.model === model && open.scope === scope;
    return goesOn ? open.records : undefined;
  }
}
