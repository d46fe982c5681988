import { createHash } from 'node:crypto';
import { type Job, JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { AesEncryptService, KEY_LEASE_MS, type RingKey } from '../encrypt-service.ts';
import type { FormerKey, SettingRepository } from '../store/setting-repository.ts';
import type { RoundRepository } from './round-repository.ts';
import type { PassPosition, SettingsPass } from './settings-pass.ts';

export interface ReEncryptionJobDependencies {
  readonly repository: SettingRepository;
  readonly rounds: RoundRepository;
  readonly pass: SettingsPass;
  readonly encryptService: EncryptService;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  /** Modules that keep cipher texts of their own. */
  readonly modules: readonly string[];
}

/** State of a job between its steps. */
interface Progress {
  readonly phase: 'settings' | 'modules' | 'settle' | 'clean';
  readonly round: number;
  /** When the round began: what was read before is not looked at (epoch ms). */
  readonly roundAt: number;
  /** From when on no environment writes with a former key (epoch ms). */
  readonly settledAt: number;
  /** The newest key, and marks of the ring's former entries at the beginning. */
  readonly kid: string | null;
  readonly former: readonly string[];
  readonly position?: PassPosition;
  /** Ids of keys of texts that cannot be decrypted, in this round. */
  readonly kids: readonly string[];
  readonly unreadable: number;
}

/** Longest that a unit of work runs with a text that it has encrypted: the limit of a function. */
const MAX_RUN_MS = 15 * 60_000;
/** Clocks differ a little. */
const SKEW_MS = 60_000;
/** After a key was seen to be replaced, nothing is written with it any more. */
const SETTLE_MS = KEY_LEASE_MS + MAX_RUN_MS + SKEW_MS;
const MODULE_PAUSE_MS = 10_000;
const MAX_MODULE_WAIT_MS = 24 * 3_600_000;
const TEXTS_PER_STEP = 200;
const PARTS_PER_STEP = 40;

/**
 * Moves all cipher texts to the newest key, then removes former keys that no text uses. Environments may write with a
 * former key for some time after it was replaced, so keys are removed only after a whole walk that began when none
 * did any more; a key that was replaced since the job began stays.
 */
export class ReEncryptionJob {
  readonly #deps: ReEncryptionJobDependencies;

  constructor(dependencies: ReEncryptionJobDependencies) {
    this.#deps = dependencies;
  }

  async step(job: Job): Promise<StepOutcome> {
    const progress = job.progress as Partial<Progress>;
    if (progress.phase === undefined) return this.#begin(job);
    const known = progress as Progress;
    switch (known.phase) {
      case 'settings':
        return this.#moveSettings(job, known);
      case 'modules':
        return this.#awaitModules(job, known);
      case 'settle':
        return this.#settle(job, known);
      case 'clean':
        return this.#clean(job, known);
    }
  }

  /** After a job that failed or was cancelled; texts that were moved stay so, and no key is removed. */
  async clear({ id }: Job): Promise<void> {
    await this.#deps.rounds.close(id);
  }

  async #begin(job: Job): Promise<StepOutcome> {
    const { encryptService, clock } = this.#deps;
    const ring =
      encryptService instanceof AesEncryptService ? await encryptService.readRing() : undefined;
    const now = clock.now();
    const replacedAt = ring?.former.map(({ entry }) => Date.parse(entry?.replacedAt ?? '')) ?? [];
    // A stamp is older than its commit by one run at most.
    const settledAt = Math.min(now, Math.max(0, ...replacedAt) + MAX_RUN_MS) + SETTLE_MS;
    return this.#beginRound(job, {
      round: 1,
      settledAt,
      kid: ring?.kid ?? null,
      former: ring?.former.flatMap(({ entry }) => (entry ? [markOf(entry)] : [])) ?? [],
    });
  }

  async #beginRound(
    job: Job,
    known: Pick<Progress, 'round' | 'settledAt' | 'kid' | 'former'>,
  ): Promise<StepOutcome> {
    const { rounds, unitOfWork, modules, clock } = this.#deps;
    const roundAt = clock.now();
    await unitOfWork(async (unit) => {
      const seen = await rounds.open();
      if (seen && seen.jobId !== job.id) throw new JobFailure('Another re-encryption has begun.');
      rounds.stageRequest(unit, { jobId: job.id, round: known.round, modules }, seen);
    });
    faultPoint('settings.after-round');
    const { round, settledAt, kid, former } = known;
    const progress: Progress = {
      ...{ phase: 'settings', round, roundAt, settledAt, kid, former },
      ...{ position: {}, kids: [], unreadable: 0 },
    };
    return { isDone: false, progress: { ...progress } };
  }

  async #moveSettings(job: Job, progress: Progress): Promise<StepOutcome> {
    await this.#deps.encryptService.refreshKeys?.();
    let position: PassPosition | undefined = progress.position ?? {};
    const kids = new Set(progress.kids);
    const counts = { processed: 0, moved: 0, unreadable: 0 };
    for (let part = 0; position && part < PARTS_PER_STEP; part += 1) {
      const done = await this.#deps.pass.part(position);
      position = done.next;
      counts.processed += done.processed;
      counts.moved += done.moved;
      counts.unreadable += done.unreadable;
      for (const kid of done.kids) kids.add(kid);
      faultPoint('settings.after-part');
      if (counts.processed >= TEXTS_PER_STEP) break;
    }
    const { position: _position, ...known } = progress;
    const next = {
      ...known,
      ...(position ? { position } : { phase: 'modules' }),
      kids: [...kids],
      unreadable: progress.unreadable + counts.unreadable,
    };
    const result = { moved: movedBy(job) + counts.moved };
    return { isDone: false, processed: counts.processed, progress: next, result };
  }

  async #awaitModules(job: Job, progress: Progress): Promise<StepOutcome> {
    const { rounds, modules, clock } = this.#deps;
    const round = { jobId: job.id, round: progress.round };
    const walks = await Promise.all(
      modules.map(async (module) => ({ module, walk: await rounds.walk(round, module) })),
    );
    const failed = walks.filter(({ walk }) => walk?.state === 'FAILED');
    if (failed.length > 0) throw new JobFailure(`${namesOf(failed)} could not move all texts.`);
    const reports = walks.flatMap(({ walk }) => (walk?.state === 'DONE' ? [walk] : []));
    if (reports.length < modules.length) {
      const open = walks.filter(({ walk }) => walk?.state !== 'DONE');
      if (clock.now() - progress.roundAt > MAX_MODULE_WAIT_MS) {
        throw new JobFailure(`${namesOf(open)} did not report within a day.`);
      }
      return { isDone: false, pauseMs: MODULE_PAUSE_MS };
    }
    const sum = (name: 'processed' | 'moved' | 'unreadable'): number =>
      reports.reduce((total, report) => total + report[name], 0);
    return {
      isDone: false,
      processed: sum('processed'),
      progress: {
        ...progress,
        phase: keepsKeys(job) || progress.roundAt >= progress.settledAt ? 'clean' : 'settle',
        kids: [...new Set([...progress.kids, ...reports.flatMap(({ kids }) => kids)])],
        unreadable: progress.unreadable + sum('unreadable'),
      },
      result: { moved: movedBy(job) + sum('moved') },
    };
  }

  /** Waits until no environment writes with a former key, then looks at everything once more. */
  async #settle(job: Job, progress: Progress): Promise<StepOutcome> {
    const wait = progress.settledAt - this.#deps.clock.now();
    if (wait > 0) return { isDone: false, pauseMs: wait };
    return this.#beginRound(job, { ...progress, round: progress.round + 1 });
  }

  async #clean(job: Job, progress: Progress): Promise<StepOutcome> {
    const { encryptService, repository, unitOfWork } = this.#deps;
    if (keepsKeys(job) || !(encryptService instanceof AesEncryptService)) {
      return this.#end(job, progress, 0);
    }
    const { former } = await encryptService.readRing();
    const unused = new Set(
      former
        .filter((key) => isUnused(key, progress))
        .flatMap(({ entry }) => (entry ? [markOf(entry)] : [])),
    );
    const removed = await unitOfWork((unit) =>
      repository.removeFromRing(unit, (entry) => unused.has(markOf(entry))),
    );
    faultPoint('settings.after-clean');
    return this.#end(job, progress, removed);
  }

  async #end(job: Job, { former, unreadable }: Progress, removed: number): Promise<StepOutcome> {
    const { rounds, repository } = this.#deps;
    await rounds.close(job.id);
    const left = new Set((await repository.keyring()).map(markOf));
    const keysKept = former.filter((mark) => left.has(mark)).length;
    const keysRemoved = removed > 0 ? removed : former.length - keysKept;
    return { isDone: true, result: { unreadable, keysRemoved, keysKept } };
  }
}

/**
 * Whether the ring had the key at the beginning, it can be had, and no text was left with it. Under a key that is older than
 * the list of deleted settings there may be texts that no walk finds.
 */
function isUnused({ entry, kids }: RingKey, progress: Progress): boolean {
  if (!entry?.deletionsListed || !kids || !progress.former.includes(markOf(entry))) return false;
  return !kids.some((kid) => progress.kids.includes(kid));
}

/** Tells entries of the ring apart without saying what they hold. */
const markOf = ({ value, keyVersion, replacedAt }: FormerKey): string =>
  createHash('sha256')
    .update(JSON.stringify([value, keyVersion ?? null, replacedAt]))
    .digest('base64url')
    .slice(0, 22);

const keepsKeys = ({ input }: Job): boolean => input.keepKeys === true;

const movedBy = ({ result }: Job): number => Number(result.moved ?? 0);

const namesOf = (walks: readonly { readonly module: string }[]): string =>
  walks.map(({ module }) => module).join(', ');
