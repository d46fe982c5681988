import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { ONLY, type RunFiles } from '../../store/run-files.ts';
import type { Executions } from '../machine/executions.ts';
import type { Histories } from '../run/histories.ts';
import type { RunStart } from '../run/run.ts';
import type { RunRequest } from '../source-sync.ts';

export interface LauncherDependencies {
  readonly executions: Executions;
  readonly files: Pick<RunFiles, 'write'>;
  readonly histories: Histories;
  readonly unitOfWork: RunUnitOfWork;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** A run of a batch that is known; with ids, of these users alone. */
export type Launch = RunStart & Pick<RunRequest, 'externalIds'> & { readonly batch: string };

/** Starts the executions of runs. */
export class Launcher {
  readonly #deps: LauncherDependencies;

  constructor(dependencies: LauncherDependencies) {
    this.#deps = dependencies;
  }

  /** The execution must find the histories: it begins after their commit, under a name that follows from the batch. */
  startAfterCommit(unit: UnitOfWork, name: string, { externalIds, ...start }: Launch): void {
    const { executions, files, log } = this.#deps;
    unit.afterCommit(async () => {
      try {
        if (externalIds) await files.write(start, ONLY, [...new Set(externalIds)]);
        await executions.start(name, start);
      } catch (cause) {
        log.error('A run could not be started', { batch: start.batch, cause });
        await this.#closeUnstarted(start.batch);
      }
    });
  }

  async #closeUnstarted(batch: string): Promise<void> {
    const { unitOfWork, histories, clock } = this.#deps;
    const endTime = toInstant(clock.now());
    await unitOfWork(async (unit) => {
      await histories.stageChange(unit, batch, () => ({
        ...{ status: 'FAIL', reasonCode: 'START_FAILED', endTime },
      }));
    });
  }
}
