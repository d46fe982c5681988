import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedVersion, WorkflowHead } from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';
import { type CaseUse, OPEN_STATES } from '../store/case-use.ts';
import { filesOf } from '../store/content-store.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { PendingDeployments } from '../store/pending-deployments.ts';
import type { AccompanyingProcesses } from './accompanying-processes.ts';
import { compileSource } from './model-compiler.ts';
import { hashOf, type NewDeployment, newVersion } from './new-version.ts';
import type { Publication } from './publication.ts';
import { publishedAmong } from './published-keys.ts';
import { readableTenants, workingTenant } from './tenancy.ts';
import type { VersionStorage } from './version-storage.ts';

/** What came of a deployment. */
export interface DeploymentOutcome {
  readonly deployed: DeployedVersion;
  /** The newest version was the same already. */
  readonly isUnchanged: boolean;
}

/** A deployment that is not deleted. */
export interface ListedDeployment {
  readonly head: WorkflowHead;
  readonly deployed: DeployedVersion;
}

export interface DeploymentDependencies {
  readonly clock: Clock;
  readonly machine: Clock;
  readonly ids: IdGenerator;
  readonly unitOfWork: RunUnitOfWork;
  readonly repository: DefinitionRepository;
  readonly storage: VersionStorage;
  readonly pending: PendingDeployments;
  readonly publication: Publication;
  readonly caseUse: CaseUse;
  /** Absent without BPMN. */
  readonly processes?: AccompanyingProcesses | undefined;
}

/** Until the index of cases shows each case that was started before the deletion. */
const SETTLING_MS = 120_000;

/** Deploys models: each deployment is a version of a workflow. */
export class DeploymentService {
  readonly #deps: DeploymentDependencies;

  constructor(dependencies: DeploymentDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deploys a model as the next version of its workflow.
   * @throws Problem `MODEL_INVALID` (422), `WORKFLOW_CODE_TAKEN`, `PROCESS_CODE_TAKEN` (409), `FORBIDDEN` (403) for another tenant
   */
  async deploy(request: NewDeployment, principal: Principal): Promise<DeploymentOutcome> {
    const { unitOfWork, repository, publication, storage, ids, clock } = this.#deps;
    const tenantCode = workingTenant(principal, request.tenantCode);
    const { processes } = this.#deps;
    const stageProcesses = await processes?.compile(request.resources);
    const source = await compileSource(request, publishedAmong(repository, tenantCode), {
      hasProcesses: processes !== undefined,
    });
    const contentHash = hashOf(request, source.main.key);
    return unitOfWork(async (unit) => {
      const head = await repository.findHead(tenantCode, request.workflowCode);
      if (head?.latest && head.caseDefinitionKey !== source.main.key) {
        const { workflowCode, caseDefinitionKey: caseKey } = head;
        throw problems.codeTaken({ workflowCode, caseKey });
      }
      const { skipIfUnchanged = true, publish = true } = request;
      if (skipIfUnchanged && head?.latest?.contentHash === contentHash) {
        const deployed = publish
          ? await publication.publish(unit, head, head.latest, principal)
          : head.latest;
        return { deployed, isUnchanged: true };
      }
      const staged = await stageProcesses?.(unit, tenantCode, principal);
      const version = newVersion(request, {
        ...{ deploymentId: ids(), tenantCode, contentHash, source, head, processes: staged ?? {} },
        ...{ deployedAt: toInstant(clock.now()), deployedBy: actorOf(principal).by },
      });
      await storage.store(unit, version, { request, source });
      const deployed = await publication.add(unit, head, version, { publish, principal });
      return { deployed, isUnchanged: false };
    });
  }

  /** @throws Problem `DEPLOYMENT_NOT_FOUND` (404) */
  async get(
    deploymentId: string,
    tenant: string | undefined,
    principal: Principal,
  ): Promise<DeployedVersion> {
    for (const each of readableTenants(principal, tenant)) {
      const found = await this.#deps.repository.findDeployment(each, deploymentId);
      if (found) return found;
    }
    throw problems.deploymentNotFound({ deploymentId });
  }

  /** Deployments of the caller's tenant or of the one that is asked for, newest first. */
  async list(
    tenant: string | undefined,
    page: PageRequest,
    principal: Principal,
  ): Promise<ReadPage<DeployedVersion>> {
    const [first] = readableTenants(principal, tenant);
    if (first !== undefined) return this.#deps.repository.listDeployments(first, page);
    return { content: [], number: 0, size: page.size, nextCursor: undefined };
  }

  /**
   * Deletes a deployment; what its ended cases need of it stays for as long as they do.
   * @throws Problem `DEPLOYMENT_NOT_FOUND` (404), `DEPLOYMENT_IN_USE` (409)
   */
  async delete(
    deploymentId: string,
    tenant: string | undefined,
    principal: Principal,
  ): Promise<void> {
    const { unitOfWork, caseUse } = this.#deps;
    const tenantCode = workingTenant(principal, tenant);
    await unitOfWork(async (unit) => {
      const listed = await this.findListed(tenantCode, deploymentId);
      if (!listed) throw problems.deploymentNotFound({ deploymentId });
      if (await caseUse.hasCases(listed.deployed, OPEN_STATES)) {
        throw problems.deploymentInUse({ deploymentId });
      }
      await this.stageDeleted(unit, listed, principal);
    });
  }

  /** A deployment that is not deleted, with its workflow. */
  async findListed(
    tenantCode: string,
    deploymentId: string,
  ): Promise<ListedDeployment | undefined> {
    const { repository } = this.#deps;
    const deployed = await repository.findDeployment(tenantCode, deploymentId);
    const head = deployed && (await repository.findHead(tenantCode, deployed.workflowCode));
    return head && { head, deployed };
  }

  /**
   * Stages the end of a deployment, and that its content goes later.
   * @param options.casesGoFor who wants cases that are found later deleted too; none: the content stays for them
   */
  async stageDeleted(
    unit: UnitOfWork,
    { head, deployed }: ListedDeployment,
    principal: Principal,
    { casesGoFor }: { readonly casesGoFor?: string } = {},
  ): Promise<void> {
    const { publication, pending, machine } = this.#deps;
    const { deploymentId, tenantCode, workflowCode, version, resources } = deployed;
    await publication.remove(unit, head, deployed, principal);
    pending.stagePurge(unit, {
      ...{ deploymentId, tenantCode, workflowCode, version, casesGoFor },
      files: filesOf(deploymentId, resources.length),
      dueAt: machine.now() + SETTLING_MS,
    });
  }
}
