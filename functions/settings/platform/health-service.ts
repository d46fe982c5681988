import type { Environment } from '../../../shared/lambda/environment.ts';
import type { SettingRepository } from '../repository.ts';

/** Health of the whole platform: status, version and modules. */
export class PlatformService {
  readonly #environment: Environment;
  readonly #repository: SettingRepository;

  constructor(environment: Environment, repository: SettingRepository) {
    this.#environment = environment;
    this.#repository = repository;
  }

  /** Status, version and modules; `DOWN` when the table does not answer. */
  async health() {
    const { version, stage, modulesOn } = this.#environment;
    const table = await this.#repository.epoch().then(
      () => 'UP' as const,
      () => 'DOWN' as const,
    );
    return { status: table, version, stage, modules: modulesOn, checks: { table } };
  }
}
