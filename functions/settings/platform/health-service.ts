import type { Environment } from '../../../shared/lambda/environment.ts';
import type { EpochRepository } from '../store/epoch-repository.ts';

/** Health of the whole platform: status, version and modules. */
export class HealthService {
  readonly #environment: Environment;
  readonly #epochs: EpochRepository;

  constructor(environment: Environment, epochs: EpochRepository) {
    this.#environment = environment;
    this.#epochs = epochs;
  }

  /** Status, version and modules; `DOWN` when the table does not answer. */
  async health() {
    const { version, stage, modulesOn } = this.#environment;
    const table = await this.#epochs.epoch().then(
      () => 'UP' as const,
      () => 'DOWN' as const,
    );
    return { status: table, version, stage, modules: modulesOn, checks: { table } };
  }
}
