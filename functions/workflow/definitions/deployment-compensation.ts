import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { endsWithin, requestContext } from '../../../shared/primitives/request-context.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import {
  DEFINITION_TOPICS,
  type DeploymentFailedEvent,
} from '../domain/events/definition-events.ts';
import { ALL_STATES, type CaseUse } from '../store/case-use.ts';
import type { ContentStore } from '../store/content-store.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type {
  DeploymentIntent,
  DeploymentPurge,
  PendingDeployments,
} from '../store/pending-deployments.ts';
import type { EventSender } from './event-sender.ts';

export interface CompensationDependencies {
  readonly machine: Clock;
  readonly log: Log;
  readonly unitOfWork: RunUnitOfWork;
  readonly batchWrite: BatchWriter;
  readonly pending: PendingDeployments;
  readonly repository: DefinitionRepository;
  readonly contents: ContentStore;
  readonly caseUse: CaseUse;
  readonly sender: EventSender;
  /** `svc.workflow.deployment-compensation-retry-ms`. */
  readonly retryMs: number;
  /** Deletes cases of a deployment that was deleted with its cases, as far as there is time. */
  readonly removeCases?: (purge: DeploymentPurge) => Promise<void>;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** What a sweep has done. */
export interface SweepCounts {
  /** Left-overs that are gone. */
  readonly undone: number;
  /** Left-overs that are tried again. */
  readonly failed: number;
  /** Deleted deployments whose content is gone. */
  readonly purged: number;
}

/** The sweep runs every minute: it goes on with short pauses until the next one. */
const MINUTE_MS = 60_000;
const END_OF_RUN_MS = 55_000;
/** Time that is left of an invocation when the last attempt begins (ms). */
const RESERVE_MS = 5_000;
/** What a purge takes at most (ms): none is begun later. */
const PURGE_MS = 25_000;
/** Schedules are not exact. */
const SLACK_MS = 1_000;
const DAY_MS = 86_400_000;

/** Removes what interrupted deployments have left behind, and what deleted ones need no more. */
export class DeploymentCompensation {
  readonly #deps: Required<CompensationDependencies>;

  constructor(dependencies: CompensationDependencies) {
    this.#deps = { pause: sleep, removeCases: async () => undefined, ...dependencies };
  }

  /** Removes the files of a deployment that did not come about, unless it did. @returns whether there was anything */
  async undo(intent: DeploymentIntent): Promise<boolean> {
    const { pending, contents, unitOfWork, machine, retryMs } = this.#deps;
    const attempts = intent.attempts + 1;
    const claimed = { ...intent, attempts, dueAt: machine.now() + retryMs };
    if (!(await pending.claim(claimed))) return false;
    for (const path of intent.files) await contents.deleteFile(path);
    await unitOfWork(async (unit) => pending.stageUndone(unit, intent.deploymentId));
    return true;
  }

  /** Removes what is due; with a pause below a minute it goes on until the next minute's run. */
  async sweep(): Promise<SweepCounts> {
    const { machine, retryMs, pause } = this.#deps;
    const { deadline = Number.POSITIVE_INFINITY } = requestContext();
    const end = Math.min(machine.now() + END_OF_RUN_MS, deadline - RESERVE_MS);
    const counts = { undone: 0, failed: 0, purged: await this.#purgeDue() };
    for (;;) {
      const { undone, failed, nextDue } = await this.#undoDue();
      counts.undone += undone;
      counts.failed += failed;
      if (retryMs >= MINUTE_MS || nextDue === undefined || nextDue >= end) return counts;
      await pause(Math.max(SLACK_MS, nextDue - machine.now()));
    }
  }

  async #undoDue(): Promise<{ undone: number; failed: number; nextDue: number | undefined }> {
    const { pending, machine, retryMs } = this.#deps;
    const found = await pending.intents();
    const now = machine.now();
    const due = found.filter(({ dueAt }) => dueAt <= now + SLACK_MS);
    let failed = 0;
    for (const intent of due) if (!(await this.#tryToUndo(intent))) failed += 1;
    const later = found.filter((intent) => !due.includes(intent)).map(({ dueAt }) => dueAt);
    const again = failed > 0 ? [now + retryMs] : [];
    return {
      undone: due.length - failed,
      failed,
      nextDue: [...later, ...again].toSorted((a, b) => a - b)[0],
    };
  }

  async #tryToUndo(intent: DeploymentIntent): Promise<boolean> {
    const { log, sender } = this.#deps;
    const { deploymentId, tenantCode, workflowCode } = intent;
    try {
      if (await this.undo(intent)) {
        const attempts = intent.attempts + 1;
        const event: DeploymentFailedEvent = { tenantCode, workflowCode, deploymentId, attempts };
        await sender.send(DEFINITION_TOPICS.failed, workflowCode, event);
      }
      return true;
    } catch (cause) {
      log.error('The files of a failed deployment could not be removed', { deploymentId, cause });
      return false;
    }
  }

  async #purgeDue(): Promise<number> {
    const { pending, machine, log } = this.#deps;
    const now = machine.now();
    let purged = 0;
    for (const purge of await pending.purges()) {
      if (purge.dueAt > now) continue;
      if (endsWithin(PURGE_MS, machine)) break;
      try {
        if (await this.#purge(purge)) purged += 1;
      } catch (cause) {
        const { deploymentId } = purge;
        log.error('A deleted deployment could not be removed', { deploymentId, cause });
      }
    }
    return purged;
  }

  /** Removes the content of a deleted deployment once no case refers to it. */
  async #purge(purge: DeploymentPurge): Promise<boolean> {
    const { pending, caseUse, contents, repository, unitOfWork, batchWrite, machine } = this.#deps;
    const { deploymentId, tenantCode, workflowCode, version, files } = purge;
    if (purge.casesGoFor !== undefined) await this.#deps.removeCases(purge);
    if (await caseUse.hasCases(purge, ALL_STATES)) {
      const dueAt = machine.now() + DAY_MS;
      await unitOfWork(async (unit) => pending.stagePurge(unit, { ...purge, dueAt }));
      return false;
    }
    for (const path of files) await contents.deleteFile(path);
    await batchWrite({ deletes: await caseUse.notesOf(deploymentId) });
    await unitOfWork(async (unit) => {
      contents.stageGone(unit, deploymentId);
      repository.stageVersionGone(unit, tenantCode, workflowCode, version);
      pending.stagePurged(unit, deploymentId);
    });
    return true;
  }
}
