import type { PageTotal } from '../../../shared/http/paging.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { type PageRequest, pageOfAll, type ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { CaseSnapshot } from '../domain/cmmn/compile/snapshot.ts';
import type {
  DeployedVersion,
  DeploymentSnapshot,
  WorkflowHead,
} from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';
import { type ContentStore, modelPath, resourcePath } from '../store/content-store.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { Publication } from './publication.ts';
import { readableTenants, workingTenant } from './tenancy.ts';

/** A workflow of a tenant, or one of its versions. */
export interface VersionRequest {
  readonly workflowCode: string;
  readonly tenantCode?: string | undefined;
  readonly version?: number | undefined;
}

/** A version, and the one that its workflow starts. */
export interface ShownVersion {
  readonly deployed: DeployedVersion;
  readonly publishedVersion: number | undefined;
}

/** What a client draws and explains a case with. */
export interface ShownSnapshot extends Pick<DeploymentSnapshot, 'cmmnXml' | 'diagrams'> {
  readonly deployed: DeployedVersion;
  readonly snapshot: CaseSnapshot;
}

export interface DefinitionDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly repository: DefinitionRepository;
  readonly contents: ContentStore;
  readonly publication: Publication;
}

type Caller = Pick<Principal, 'tenant'>;

/** Workflows and their versions, as callers see them. */
export class DefinitionService {
  readonly #deps: DefinitionDependencies;

  constructor(dependencies: DefinitionDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The newest version of each workflow in the order of their codes; those of no tenant stand behind the tenant's own
   * of the same code, which hide them.
   */
  async list(
    { tenantCode, q = '' }: { tenantCode?: string | undefined; q?: string | undefined },
    page: PageRequest,
    caller: Caller,
  ): Promise<ReadPage<ShownVersion> & { readonly total: PageTotal }> {
    const byCode = new Map<string, ShownVersion>();
    const tenants = readableTenants(caller, tenantCode);
    for (const tenant of tenants) {
      for (const { workflowCode, latest, published } of await this.#deps.repository.listHeads(
        tenant,
      )) {
        if (!latest || byCode.has(workflowCode)) continue;
        byCode.set(workflowCode, { deployed: latest, publishedVersion: published?.version });
      }
    }
    const wanted = q.toLowerCase();
    const found = [...byCode.values()]
      .filter(({ deployed: { workflowCode, name = '' } }) =>
        `${workflowCode}\n${name}`.toLowerCase().includes(wanted),
      )
      .toSorted((a, b) => (a.deployed.workflowCode < b.deployed.workflowCode ? -1 : 1));
    const total = { value: found.length, relation: 'eq' } as const;
    return { ...pageOfAll(found, page, ['newest definitions', tenants, q]), total };
  }

  /** Versions of one tenant, each beside the one that its workflow starts. */
  async withPublished(versions: readonly DeployedVersion[]): Promise<readonly ShownVersion[]> {
    const [{ tenantCode = '' } = {}] = versions;
    const codes = [...new Set(versions.map(({ workflowCode }) => workflowCode))];
    const heads = await this.#deps.repository.findHeadsOf(tenantCode, codes);
    const started = new Map(heads.map((head) => [head.workflowCode, head.published?.version]));
    return versions.map((deployed) => ({
      deployed,
      publishedVersion: started.get(deployed.workflowCode),
    }));
  }

  /** The newest version, or one by its number. @throws Problem `WORKFLOW_NOT_FOUND` (404) */
  async get(request: VersionRequest, caller: Caller): Promise<ShownVersion> {
    const head = await this.#head(request, caller);
    const deployed = await this.#versionOf(head, request.version);
    return { deployed, publishedVersion: head.published?.version };
  }

  /** Versions, newest first. @throws Problem `WORKFLOW_NOT_FOUND` (404) */
  async versions(
    request: VersionRequest,
    page: PageRequest,
    caller: Caller,
  ): Promise<ReadPage<ShownVersion>> {
    const { tenantCode, workflowCode, published } = await this.#head(request, caller);
    const found = await this.#deps.repository.listVersions(tenantCode, workflowCode, page);
    return {
      ...found,
      content: found.content.map((deployed) => ({
        deployed,
        publishedVersion: published?.version,
      })),
    };
  }

  /**
   * A document as it was deployed. @param resource name of one that came along; left out: the model
   * @throws Problem `WORKFLOW_NOT_FOUND`, `DOCUMENT_NOT_FOUND` (404)
   */
  async xml(
    request: VersionRequest,
    resource: string | undefined,
    caller: Caller,
  ): Promise<string> {
    const { deployed } = await this.get(request, caller);
    const { deploymentId, resources } = deployed;
    if (resource === undefined) return this.#deps.contents.document(modelPath(deploymentId));
    const at = resources.indexOf(resource);
    if (at < 0) throw problems.documentNotFound({ resource });
    return this.#deps.contents.document(resourcePath(deploymentId, at));
  }

  /**
   * The version that is started, or one by its number.
   * @throws Problem `WORKFLOW_NOT_FOUND`, `CASE_DEFINITION_NOT_FOUND` (404)
   */
  async snapshot(
    request: VersionRequest,
    caseDefinitionKey: string | undefined,
    caller: Caller,
  ): Promise<ShownSnapshot> {
    const deployed = await this.#started(request, caller);
    const key = caseDefinitionKey ?? deployed.caseDefinitionKey;
    const content = await this.#deps.contents.read(deployed.deploymentId, 'SNAPSHOT');
    const snapshot = content?.cases.find((each) => each.key === key);
    if (!content || !snapshot) throw problems.caseNotInDefinition({ key });
    return { deployed, snapshot, cmmnXml: content.cmmnXml, diagrams: content.diagrams };
  }

  /** Lets cases of a version be started: the newest, or one by its number. @throws Problem `WORKFLOW_NOT_FOUND` (404) */
  async publish(request: VersionRequest, principal: Principal): Promise<ShownVersion> {
    return this.#change(request, principal, async (unit, head) => {
      const version = await this.#versionOf(head, request.version);
      return this.#deps.publication.publish(unit, head, version, principal);
    });
  }

  /**
   * Lets no more cases of a version be started: of the one that is started now, or of one by its number. The newest
   * published one of the others is started from then on.
   * @throws Problem `WORKFLOW_NOT_FOUND` (404)
   */
  async unpublish(request: VersionRequest, principal: Principal): Promise<ShownVersion> {
    return this.#change(request, principal, async (unit, head) => {
      const version = await this.#versionOf(head, request.version ?? head.published?.version);
      return this.#deps.publication.unpublish(unit, head, version, principal);
    });
  }

  async #change(
    { tenantCode, workflowCode }: VersionRequest,
    principal: Principal,
    work: (unit: UnitOfWork, head: WorkflowHead) => Promise<DeployedVersion>,
  ): Promise<ShownVersion> {
    const { unitOfWork, repository } = this.#deps;
    const tenant = workingTenant(principal, tenantCode);
    const changed = await unitOfWork(async (unit) => {
      const head = await repository.findHead(tenant, workflowCode);
      if (!head?.latest) throw problems.workflowNotFound({ workflowCode });
      return work(unit, head);
    });
    const head = await repository.findHead(tenant, workflowCode);
    return { deployed: changed, publishedVersion: head?.published?.version };
  }

  async #started(request: VersionRequest, caller: Caller): Promise<DeployedVersion> {
    if (request.version !== undefined) return (await this.get(request, caller)).deployed;
    const { workflowCode, tenantCode } = request;
    const tenants = readableTenants(caller, tenantCode);
    const heads = await this.#deps.repository.findHeads(tenants, workflowCode);
    const head = heads.find(({ published }) => published !== undefined);
    if (!head?.published) throw problems.workflowNotFound({ workflowCode });
    return this.#versionOf(head, head.published.version);
  }

  /** The first of the readable tenants that has the workflow, and the version if one is asked for. */
  async #head(
    { workflowCode, tenantCode, version }: VersionRequest,
    caller: Caller,
  ): Promise<WorkflowHead> {
    const { repository } = this.#deps;
    const tenants = readableTenants(caller, tenantCode);
    const heads = await repository.findHeads(tenants, workflowCode);
    for (const head of heads) {
      if (!head.latest) continue;
      if (version === undefined || (await this.#find(head, version))) return head;
    }
    throw problems.workflowNotFound({ workflowCode, version });
  }

  async #versionOf(head: WorkflowHead, version: number | undefined): Promise<DeployedVersion> {
    const found = version === undefined ? head.latest : await this.#find(head, version);
    if (!found) throw problems.workflowNotFound({ workflowCode: head.workflowCode, version });
    return found;
  }

  async #find(head: WorkflowHead, version: number): Promise<DeployedVersion | undefined> {
    const { tenantCode, workflowCode, latest } = head;
    if (latest?.version === version) return latest;
    const found = await this.#deps.repository.findVersion(tenantCode, workflowCode, version);
    return found?.status === 'DELETED' ? undefined : found;
  }
}
