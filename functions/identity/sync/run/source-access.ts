import { fingerprint } from '../../domain/directory/fingerprint.ts';
import { compileMapping, type MapUser } from '../../domain/directory/map-user.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { IdentitySourceClient, Providers } from '../../providers/provider.ts';
import type { SourceConfigs } from '../../sources/source-configs.ts';
import type { SourceRepository } from '../../store/source-repository.ts';
import type { Run } from './run.ts';
import { StopRun } from './stop.ts';

interface SourceAccessDependencies {
  readonly sources: SourceRepository;
  readonly configs: SourceConfigs;
  readonly providers: Providers;
}

/** Sources as runs read them. */
export class SourceAccess {
  readonly #deps: SourceAccessDependencies;

  constructor(dependencies: SourceAccessDependencies) {
    this.#deps = dependencies;
  }

  find(sourceId: string): Promise<IdentitySource | undefined> {
    return this.#deps.sources.find(sourceId);
  }

  /** @throws StopRun when it was deleted */
  async source(sourceId: string): Promise<IdentitySource> {
    const source = await this.find(sourceId);
    if (source) return source;
    throw new StopRun({ status: 'CANCELLED', reasonCode: 'SOURCE_DELETED' });
  }

  /**
   * The source of a run, which is what it was when the run began: what one directory lists is not asked for at another.
   * @throws StopRun when it was deleted, or configured anew meanwhile
   */
  async sourceOf({ sourceId, mark }: Pick<Run, 'sourceId' | 'mark'>): Promise<IdentitySource> {
    const source = await this.source(sourceId);
    if (mark === undefined || mark === (await this.markOf(source))) return source;
    throw new StopRun({
      ...{ status: 'FAIL', reasonCode: 'CONFIG_CHANGED' },
      desc: 'The source was configured anew meanwhile.',
    });
  }

  /** What is kept in memory of a source belongs to one version of it. */
  async client(source: IdentitySource): Promise<IdentitySourceClient> {
    const { configs, providers } = this.#deps;
    const config = await configs.connectionOf(source);
    return providers.of(source.provider).client(`${source.id}:${source.version}`, config);
  }

  /** Changes with what a plan of the source depends on. */
  async markOf(source: IdentitySource): Promise<string> {
    const { baseUrl, adminUsername } = await this.#deps.configs.connectionOf(source);
    return fingerprint([source.strategyConfig, baseUrl, adminUsername]);
  }

  mapping({ strategyConfig: { mapping, roles } }: IdentitySource): MapUser {
    return compileMapping(mapping, roles);
  }

  async isIncremental(source: IdentitySource): Promise<boolean> {
    return (await this.#deps.configs.connectionOf(source)).incrementalEnabled;
  }
}
