import type { EntitiesConfig } from '../configuration.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';

/** Lists the public paths for a host: those of entities with requireAuth=false. */
export class DynamicSecurityConfigurer {
  readonly #repository: DefinitionRepository;
  readonly #apiPrefix: string;

  constructor(repository: DefinitionRepository, { dynamic }: Pick<EntitiesConfig, 'dynamic'>) {
    this.#repository = repository;
    this.#apiPrefix = dynamic.apiPrefix;
  }

  /** Paths of the entities with requireAuth=false, with `/**` for everything below. */
  async getPublicPaths(): Promise<string[]> {
    const definitions = await this.#repository.list();
    return definitions
      .filter(({ requireAuth, status }) => !requireAuth && status === 'ACTIVE')
      .flatMap(({ code, apiPath }) => [
        ...new Set([
          `${this.#apiPrefix}/dynamic/${code}`,
          `${this.#apiPrefix}/dynamic/${apiPath}`,
          `${this.#apiPrefix}/${apiPath}`,
        ]),
      ])
      .flatMap((path) => [path, `${path}/**`]);
  }

  /** Whether a path needs no token. */
  async isPublic(path: string): Promise<boolean> {
    const paths = await this.getPublicPaths();
    return paths.some((each) =>
      each.endsWith('/**') ? `${path}/`.startsWith(each.slice(0, -2)) : path === each,
    );
  }
}
