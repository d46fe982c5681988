import type { DefinitionSource } from '../domain/cmmn/contract/environment.ts';
import type { DecisionTable } from '../domain/cmmn/decision/decision-table.ts';
import {
  type DeploymentModel,
  definitionIdOf,
  partsOfDefinitionId,
  type WorkflowHead,
} from '../domain/definitions/deployed-version.ts';
import type { CaseUse } from '../store/case-use.ts';
import type { ContentStore } from '../store/content-store.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { DefinitionReader, LoadedCase } from './definition-reader.ts';
import { LoadedAnswers } from './loaded-answers.ts';

/** A deployment in memory. */
interface LoadedDeployment {
  readonly cases: ReadonlyMap<string, LoadedCase>;
  readonly decisions: ReadonlyMap<string, DecisionTable>;
}

export interface StoredDefinitionsDependencies {
  readonly repository: DefinitionRepository;
  readonly contents: ContentStore;
  readonly caseUse: CaseUse;
}

/** Deployments that an environment keeps; the one that was not used for longest goes first. */
const MAX_KEPT = 50;
/** Loads of one call: each definition may refer to further ones. */
const MAX_LOADS = 1_000;

/** Definitions as they are stored. A deployment never changes, so the environment keeps what it has read. */
export class StoredDefinitions implements DefinitionReader {
  readonly #deps: StoredDefinitionsDependencies;
  readonly #kept = new Map<string, Promise<LoadedDeployment | undefined>>();

  constructor(dependencies: StoredDefinitionsDependencies) {
    this.#deps = dependencies;
  }

  async load(definitionId: string): Promise<LoadedCase | undefined> {
    const parts = partsOfDefinitionId(definitionId);
    return parts && (await this.#deployment(parts.deploymentId))?.cases.get(parts.caseKey);
  }

  async newest(
    tenantCode: string,
    workflowCode: string,
    version?: number,
  ): Promise<LoadedCase | undefined> {
    for (const head of await this.#heads(tenantCode, workflowCode)) {
      const deploymentId = await this.#startable(head, version);
      if (deploymentId) return this.load(definitionIdOf(deploymentId, head.caseDefinitionKey));
    }
    return undefined;
  }

  async isDeployed(tenantCode: string, workflowCode: string, version?: number): Promise<boolean> {
    for (const { tenantCode: tenant, latest } of await this.#heads(tenantCode, workflowCode)) {
      if (!latest) continue;
      if (version === undefined) return true;
      const found = await this.#deps.repository.findVersion(tenant, workflowCode, version);
      if (found && found.status !== 'DELETED') return true;
    }
    return false;
  }

  async newestCase(tenantCode: string, caseKey: string): Promise<LoadedCase | undefined> {
    const deploymentId = await this.#deps.repository.findPublished(tenantCode, 'cases', caseKey);
    return deploymentId === undefined
      ? undefined
      : this.load(definitionIdOf(deploymentId, caseKey));
  }

  async run<T>(
    work: (definitions: DefinitionSource) => T,
    known: readonly LoadedCase[] = [],
  ): Promise<T> {
    const answers = new LoadedAnswers({
      byId: (id) => this.load(id),
      latest: (key, tenantCode, sameDeploymentAs) =>
        this.#latest(key, tenantCode, sameDeploymentAs),
      decision: (key, tenantCode) => this.#decision(key, tenantCode),
    });
    for (const each of known) answers.know(each);
    for (let load = 0; load < MAX_LOADS; load += 1) {
      const outcome = answers.try(work);
      if (outcome.isDone) return outcome.result;
      await outcome.load();
    }
    throw new Error(`A call of the engine has asked for more than ${MAX_LOADS} definitions`);
  }

  async noteUse(deploymentId: string, tenantCode: string): Promise<void> {
    await this.#deps.caseUse.note(deploymentId, tenantCode);
  }

  #heads(tenantCode: string, workflowCode: string): Promise<readonly WorkflowHead[]> {
    const tenants = tenantCode === '' ? [''] : [tenantCode, ''];
    return this.#deps.repository.findHeads(tenants, workflowCode);
  }

  /** The deployment that a workflow starts, or that of a published version. */
  async #startable(
    { tenantCode, workflowCode, published }: WorkflowHead,
    version: number | undefined,
  ): Promise<string | undefined> {
    if (version === undefined || version === published?.version) return published?.deploymentId;
    const found = await this.#deps.repository.findVersion(tenantCode, workflowCode, version);
    return found?.status === 'PUBLISHED' ? found.deploymentId : undefined;
  }

  /** A case of the same deployment comes before what is published. */
  async #latest(
    key: string,
    tenantCode: string,
    sameDeploymentAs: string | undefined,
  ): Promise<LoadedCase | undefined> {
    const same = partsOfDefinitionId(sameDeploymentAs ?? '');
    const beside = same && (await this.#deployment(same.deploymentId))?.cases.get(key);
    return beside ?? this.newestCase(tenantCode, key);
  }

  async #decision(key: string, tenantCode: string): Promise<DecisionTable | undefined> {
    const { repository } = this.#deps;
    const deploymentId = await repository.findPublished(tenantCode, 'decisions', key);
    if (deploymentId === undefined) return undefined;
    return (await this.#deployment(deploymentId))?.decisions.get(key);
  }

  async #deployment(deploymentId: string): Promise<LoadedDeployment | undefined> {
    const kept = this.#kept.get(deploymentId);
    this.#kept.delete(deploymentId);
    const wanted = kept ?? this.#read(deploymentId);
    this.#kept.set(deploymentId, wanted);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return wanted;
  }

  /** What is not there, or cannot be read, is looked for again the next time. */
  async #read(deploymentId: string): Promise<LoadedDeployment | undefined> {
    try {
      const model = await this.#deps.contents.read(deploymentId, 'MODEL');
      if (model) return toLoaded(model);
    } catch (cause) {
      this.#kept.delete(deploymentId);
      throw cause;
    }
    this.#kept.delete(deploymentId);
    return undefined;
  }
}

const toLoaded = ({ facts, cases, decisions }: DeploymentModel): LoadedDeployment => ({
  cases: new Map(
    cases.map((definition) => [
      definition.key,
      { id: definitionIdOf(facts.deploymentId, definition.key), definition, deployment: facts },
    ]),
  ),
  decisions: new Map(decisions.map((decision) => [decision.key, decision])),
});
