import type { Clock } from '../../../shared/primitives/clock.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { ownerOf, type Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { DEFAULT_PATTERN, documentNumber } from '../domain/documents/document-number.ts';
import {
  type Generation,
  type GenerationWarning,
  LEASE_MS,
  outputName,
} from '../domain/documents/generation.ts';
import { wallTimeOf, wallTimeText } from '../domain/values/wall-time.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type {
  CallKeys,
  IdempotencyRepository,
  KnownCall,
} from '../store/idempotency-repository.ts';
import type { PreparedDocument } from './preparation.ts';

interface GenerationStarterDependencies {
  readonly generations: GenerationRepository;
  readonly idempotency: IdempotencyRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly machine: Clock;
  readonly ids: IdGenerator;
}

/** How a generation is started besides. */
export interface StartOptions {
  /** The cancelled generation that the keys of the call stood for. */
  readonly replaced?: string | undefined;
  /** How long it may wait for its rendering; default: as long as a rendering takes. */
  readonly patienceMs?: number | undefined;
  /** The job that renders it. */
  readonly jobId?: string | undefined;
  /** What is stored with it. */
  readonly also?: ((generation: Generation) => Promise<unknown>) | undefined;
}

/** Calls that take numbers of one template at the same time are repeated for so long. */
const NUMBER_PATIENCE_MS = 10_000;

/** Stores new generations with their keys and numbers, each once. */
export class GenerationStarter {
  readonly #deps: GenerationStarterDependencies;

  constructor(dependencies: GenerationStarterDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the generation; or which one the keys stand for since another call has stored it */
  async start(
    prepared: PreparedDocument,
    keys: CallKeys,
    principal: Principal,
    { replaced, patienceMs = LEASE_MS, jobId, also }: StartOptions = {},
  ): Promise<Generation | KnownCall> {
    const { unitOfWork, idempotency, generations, machine } = this.#deps;
    const id = this.#deps.ids();
    let isFirst = true;
    return unitOfWork(async (unit) => {
      const nowS = Math.floor(machine.now() / 1_000);
      const known = isFirst ? undefined : await idempotency.find(keys, nowS);
      isFirst = false;
      if (known && known.generationId !== replaced) return known;
      const number = prepared.usesNumber ? await this.#number(unit, prepared) : undefined;
      const waits = { number, patienceMs, jobId };
      const generation = this.#generationOf(id, prepared, principal, waits);
      generations.stageNew(unit, generation);
      idempotency.stage(unit, keys, id, { nowS, replaced });
      await also?.(generation);
      return generation;
    });
  }

  async #number(unit: UnitOfWork, { template, nowMs, settings }: PreparedDocument) {
    unit.retryFor(NUMBER_PATIENCE_MS);
    const sequence = await this.#deps.generations.stageNumber(unit, template.id);
    const { numberPattern = DEFAULT_PATTERN, code } = template;
    return documentNumber(numberPattern, { sequence, day: dayOf(nowMs, settings.zone), code });
  }

  #generationOf(
    id: string,
    { template, file, request, settings, nowMs }: PreparedDocument,
    principal: Principal,
    {
      number,
      patienceMs,
      jobId,
    }: StartOptions & { number?: string | undefined; patienceMs: number },
  ): Generation {
    const at = toInstant(nowMs);
    const { code, entityType } = template;
    const { outputFormat: format, entityId } = request;
    const none: readonly GenerationWarning[] = [];
    return {
      ...{ id, tenant: template.tenant, templateId: template.id, templateCode: code },
      ...{ templateType: template.type, fileVersion: file.fileVersion, format },
      ...{ status: 'PENDING', editStatus: 'NOT_EDITABLE', attempt: 0, version: 1 },
      fileName: outputName({ code, entityId, format }, nowMs, settings.zone),
      entityType: request.entityType ?? entityType,
      ...{ entityId, documentNumber: number, warningCodes: [], warnings: none },
      ...{ jobId, leaseUntil: this.#deps.machine.now() + patienceMs },
      ...{ createdAt: at, updatedAt: at, ...ownerOf(principal) },
    };
  }
}

/** The day on the wall. */
function dayOf(nowMs: number, zone: string): string {
  const now = wallTimeOf(nowMs, zone);
  return now ? wallTimeText({ ...now, hasTime: false }) : '';
}
