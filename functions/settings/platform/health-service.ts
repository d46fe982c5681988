import type { Environment } from '../../../shared/lambda/environment.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { modulesNotReady } from '../../../shared/store/health-items.ts';
import type { Table } from '../../../shared/store/table.ts';

type State = 'UP' | 'DOWN';

export interface HealthServiceDependencies {
  readonly environment: Environment;
  readonly table: Table;
  /** Of the machine. */
  readonly clock: Clock;
}

/** Health of the whole platform: status, version and modules. */
export class HealthService {
  readonly #deps: HealthServiceDependencies;

  constructor(dependencies: HealthServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Status, version and modules; `DOWN` when the table does not answer, or a module has reported that it is not ready. */
  async health() {
    const { version, stage, modulesOn: modules } = this.#deps.environment;
    const checks = await this.#checks(modules);
    const status: State = Object.values(checks).every((state) => state === 'UP') ? 'UP' : 'DOWN';
    return { status, version, stage, modules, checks };
  }

  async #checks(modules: readonly string[]): Promise<Readonly<Record<string, State>>> {
    const { table, clock } = this.#deps;
    try {
      const down = await modulesNotReady(table, clock.now());
      const ofModules = down.filter((name) => modules.includes(name));
      return {
        table: 'UP',
        ...Object.fromEntries(ofModules.map((name) => [name, 'DOWN'] as const)),
      };
    } catch {
      return { table: 'DOWN' };
    }
  }
}
