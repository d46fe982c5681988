import type { Clock } from '../../../shared/primitives/clock.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { ownerOf, type Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import {
  type Generation,
  type GenerationWarning,
  LEASE_MS,
  outputName,
} from '../domain/documents/generation.ts';
import { begun } from '../domain/documents/generation-changes.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type {
  CallKeys,
  IdempotencyRepository,
  KnownCall,
} from '../store/idempotency-repository.ts';
import type { DocumentNumbers } from './document-numbers.ts';
import type { PreparedDocument } from './preparation.ts';

interface GenerationStarterDependencies {
  readonly generations: GenerationRepository;
  readonly numbers: DocumentNumbers;
  readonly idempotency: IdempotencyRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly machine: Clock;
  readonly ids: IdGenerator;
}

/** How a generation is started besides. */
export interface StartOptions {
  /** Generations that the keys of the call stood for: they were cancelled, or have failed and were of another request. */
  readonly gone?: readonly string[] | undefined;
  /** How long it may wait for its rendering; default: as long as a rendering takes. */
  readonly patienceMs?: number | undefined;
  /** The job that renders it. */
  readonly jobId?: string | undefined;
  /** Whether the caller renders it at once: it is stored as begun. */
  readonly isBegun?: boolean | undefined;
  /** What is stored with it. */
  readonly also?: ((generation: Generation) => Promise<unknown>) | undefined;
}

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
    { gone = [], patienceMs = LEASE_MS, jobId, isBegun = false, also }: StartOptions = {},
  ): Promise<Generation | KnownCall> {
    const { unitOfWork, idempotency, generations, numbers, machine } = this.#deps;
    const id = this.#deps.ids();
    let isFirst = true;
    return unitOfWork(async (unit) => {
      const nowS = Math.floor(machine.now() / 1_000);
      const known = isFirst ? undefined : await idempotency.find(keys, nowS, gone);
      isFirst = false;
      if (known) return known;
      const number = await numbers.take(unit, prepared);
      const waits = { number, patienceMs, jobId };
      const waiting = this.#generationOf(id, prepared, principal, waits);
      const at = toInstant(prepared.nowMs);
      const generation = isBegun ? begun(waiting, { at, machineMs: machine.now() }) : waiting;
      generations.stageNew(unit, generation);
      idempotency.stage(unit, keys, id, { nowS, gone });
      await also?.(generation);
      return generation;
    });
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
      ...{
        createdAt: at,
        updatedAt: at,
        ...ownerOf({ id: principal.id, issuer: principal.issuer }),
      },
    };
  }
}
