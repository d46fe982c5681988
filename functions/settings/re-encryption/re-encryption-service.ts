import type { Job } from '../../../shared/jobs/job.ts';
import { JobRepository } from '../../../shared/jobs/job-repository.ts';
import { JobRunner } from '../../../shared/jobs/job-runner.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import { problems } from '../errors.ts';
import { RE_ENCRYPTION_PORT, SETTING_JOB_TOPIC } from '../events.ts';
import type { SettingsServices } from '../services.ts';
import { CipherTextRepository } from '../store/cipher-text-repository.ts';
import { SettingRepository } from '../store/setting-repository.ts';
import { ReEncryptionJob } from './re-encryption-job.ts';
import { RoundRepository } from './round-repository.ts';
import { SettingsPass } from './settings-pass.ts';

const KIND = 'RE_ENCRYPT';
const SUBJECT = 'settings';
/** Names of settings never begin with `@`. */
const JOB_STORAGE = { type: 'setting#@job', subjectName: 'of' } as const;

/** Starts and shows the job that moves all cipher texts to the newest key; there is one at a time. */
export class ReEncryptionService {
  readonly #context: ServiceContext;
  readonly #services: SettingsServices;
  readonly #rounds: RoundRepository;
  readonly #jobs: JobRunner;

  constructor(context: ServiceContext, services: SettingsServices) {
    this.#context = context;
    this.#services = services;
    const clock = context.tenantClock.machine;
    this.#rounds = new RoundRepository({ ...context, clock });
    this.#jobs = new JobRunner({
      ...context,
      clock,
      module: 'settings',
      topic: SETTING_JOB_TOPIC,
      repository: new JobRepository({ ...context, ...JOB_STORAGE }),
    });
    const { encryptService } = services;
    const cipherTexts = new CipherTextRepository(context.table);
    const work = new ReEncryptionJob({
      ...{ ...context, clock, encryptService },
      repository: new SettingRepository(context.table),
      rounds: this.#rounds,
      pass: new SettingsPass({ ...context, cipherTexts, encryptService }),
      modules: context.environment.portUsers?.[RE_ENCRYPTION_PORT] ?? [],
    });
    this.#jobs.register(KIND, {
      step: (job) => work.step(job),
      clear: (job) => work.clear(job),
    });
  }

  /**
   * Starts the job, or returns the one that is running. What was rotated behind `secretsmanager:` is taken over first.
   * @param keepKeys whether former keys stay in the ring
   * @throws Problem `ENCRYPT_KEY_MISSING` (409)
   */
  async start(keepKeys: boolean, principal: Principal): Promise<Job> {
    const { unitOfWork, log } = this.#context;
    await this.#services.settingService.followSecret();
    // Without a key there is nothing to do, and nothing to do it with.
    await this.#services.encryptService.encrypt('');
    const modules = this.#context.environment.portUsers?.[RE_ENCRYPTION_PORT] ?? [];
    return unitOfWork(async (unit) => {
      const seen = await this.#rounds.open();
      const running = seen && (await this.#jobs.find(SUBJECT, seen.jobId));
      if (running && isRunning(running)) return running;
      const job = await this.#jobs.start(KIND, SUBJECT, { keepKeys }, principal);
      this.#rounds.stageRequest(unit, { jobId: job.id, round: 0, modules: [] }, seen);
      log.info('audit', { action: 're-encrypt', job: job.id, modules, ...actorOf(principal) });
      return job;
    });
  }

  /** @throws Problem `SETTING_JOB_NOT_FOUND` (404) */
  async get(id: string): Promise<Job> {
    const job = await this.#jobs.find(SUBJECT, id);
    if (!job) throw problems.jobNotFound({ id });
    return job;
  }

  /** Stops the job; texts that were moved stay so. @throws Problem `SETTING_JOB_NOT_FOUND` (404), `SETTING_JOB_ENDED` (409) */
  async cancel(id: string, principal: Principal): Promise<Job> {
    const answer = await this.#jobs.cancel(SUBJECT, id);
    if (!answer) throw problems.jobNotFound({ id });
    if (answer.kind !== 'cancelling') throw problems.jobEnded({ id });
    this.#context.log.info('audit', {
      action: 're-encrypt-cancel',
      job: id,
      ...actorOf(principal),
    });
    return answer.job;
  }

  run(notice: { readonly jobId: string }): Promise<void> {
    return this.#jobs.run(notice);
  }

  /** Goes on with jobs that were interrupted or have paused. */
  sweep(): Promise<number> {
    return this.#jobs.sweep();
  }
}

const isRunning = ({ state }: Job): boolean => state === 'WAITING' || state === 'RUNNING';
