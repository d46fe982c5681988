import type { DepartmentRepository } from '../../../../shared/ports/identity.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import { nextRuns, planSchedule } from '../../domain/schedule/plan-schedule.ts';
import { ScheduleError } from '../../domain/schedule/schedule-error.ts';
import type { BasicConfig, JobConfig, StrategyConfig } from '../../domain/sources/source.ts';
import type { Check } from '../../http/checks.ts';
import type { Providers } from '../../providers/provider.ts';
import type { SourceSchedule, ValidationReport } from '../source-sync.ts';

interface ValidationDependencies {
  readonly providers: Providers;
  readonly departments: Pick<DepartmentRepository, 'get'>;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly zone: string;
}

interface TriedConfig {
  readonly basicConfig: BasicConfig;
  readonly strategyConfig: StrategyConfig;
  readonly jobConfig: JobConfig;
}

/** Tries configurations before they are saved. */
export class Validation {
  readonly #deps: ValidationDependencies;

  constructor(dependencies: ValidationDependencies) {
    this.#deps = dependencies;
  }

  async validate({
    basicConfig,
    strategyConfig,
    jobConfig,
  }: TriedConfig): Promise<ValidationReport> {
    const { checks, capabilities } = await this.#deps.providers.of('EXTSRC').validate(basicConfig);
    const all = [...checks, await this.#target(strategyConfig), this.#timing(jobConfig)];
    return { valid: all.every(({ status }) => status !== 'FAIL'), checks: all, capabilities };
  }

  /** @returns the schedule, or what is wrong with it */
  schedule(
    jobConfig: JobConfig,
  ):
    | { readonly schedule: SourceSchedule | undefined }
    | { readonly errors: readonly ProblemItem[] } {
    const { zone, clock } = this.#deps;
    try {
      const plan = planSchedule(jobConfig, zone, clock.now());
      const runs = plan ? nextRuns(plan, clock.now()) : [];
      return { schedule: plan && { ...plan, nextRuns: runs.map(toInstant) } };
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      const { field, message } = error;
      const pointer = `/${field}`;
      return { errors: [{ pointer, code: 'SCHEDULE_INVALID', detail: message }] };
    }
  }

  async #target({ organization: { targetId } }: StrategyConfig): Promise<Check> {
    const from = this.#deps.clock.now();
    const told = (status: Check['status'], message: string) => ({
      ...{ name: 'target', status, message, latencyMs: this.#deps.clock.now() - from },
    });
    if (targetId === undefined) return told('SKIP', 'A department of its own is made.');
    return (await this.#deps.departments.get(targetId))
      ? told('PASS', 'The department exists.')
      : told('FAIL', 'The department does not exist.');
  }

  #timing(jobConfig: JobConfig): Check {
    const told = this.schedule(jobConfig);
    const base = { name: 'schedule', latencyMs: 0 };
    if ('errors' in told) {
      const message = told.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
      return { ...base, status: 'FAIL', message };
    }
    return told.schedule
      ? { ...base, status: 'PASS', message: `The next run is at ${told.schedule.nextRuns[0]}.` }
      : { ...base, status: 'SKIP', message: 'The source is synchronised by hand.' };
  }
}
