import { createHash } from 'node:crypto';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedVersion, WorkflowHead } from '../domain/definitions/deployed-version.ts';
import { factsOf } from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';
import { type CaseUse, OPEN_STATES } from '../store/case-use.ts';
import {
  type ContentFile,
  type ContentStore,
  filesOf,
  modelPath,
  type PackedPart,
  resourcePath,
} from '../store/content-store.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { DeploymentIntent, PendingDeployments } from '../store/pending-deployments.ts';
import type { DeploymentCompensation } from './deployment-compensation.ts';
import { type CompiledSource, compileSource, type ModelSource } from './model-compiler.ts';
import type { Publication } from './publication.ts';
import { readableTenants, workingTenant } from './tenancy.ts';

/** Request to deploy a model. */
export interface NewDeployment extends ModelSource {
  readonly workflowCode: string;
  readonly name?: string | undefined;
  readonly tenantCode?: string | undefined;
  readonly category?: string | undefined;
  /** Left out: yes. */
  readonly publish?: boolean | undefined;
  /** Left out: yes; the newest version is the answer when it is the same. */
  readonly skipIfUnchanged?: boolean | undefined;
  readonly taskVariables?: readonly string[] | undefined;
  readonly historyRetentionMs?: number | undefined;
  readonly uniqueBusinessKey?: boolean | undefined;
}

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
  readonly contents: ContentStore;
  readonly pending: PendingDeployments;
  readonly compensation: DeploymentCompensation;
  readonly publication: Publication;
  readonly caseUse: CaseUse;
  /** Process tasks can be carried out. */
  readonly hasProcesses?: boolean;
}

/** A call has 29 s: what it has announced is left over after that. */
const CALL_MS = 30_000;
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
   * @throws Problem `MODEL_INVALID` (422), `WORKFLOW_CODE_TAKEN` (409), `FORBIDDEN` (403) for another tenant
   */
  async deploy(request: NewDeployment, principal: Principal): Promise<DeploymentOutcome> {
    const { unitOfWork, repository, publication } = this.#deps;
    const tenantCode = workingTenant(principal, request.tenantCode);
    const { hasProcesses = false } = this.#deps;
    const source = await compileSource(
      request,
      (list, keys) => this.#published(tenantCode, list, keys),
      { hasProcesses },
    );
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
      const version = this.#version(request, { tenantCode, contentHash, source, head, principal });
      await this.#store(unit, version, { request, source });
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

  /** The facts of a new version. */
  #version(
    request: NewDeployment,
    { tenantCode, contentHash, source, head, principal }: VersionParts,
  ): DeployedVersion {
    const { workflowCode, name, category, historyRetentionMs } = request;
    const { taskVariables = [], uniqueBusinessKey = false, resources } = request;
    return {
      deploymentId: this.#deps.ids(),
      ...{ tenantCode, workflowCode, category, historyRetentionMs, contentHash },
      ...{ taskVariables, uniqueBusinessKey },
      version: (head?.lastVersion ?? 0) + 1,
      caseDefinitionKey: source.main.key,
      name: name ?? source.main.name,
      status: 'DRAFT',
      cases: source.cases.map(({ key, name: called }) => ({ key, name: called })),
      decisions: source.decisions.map(({ key }) => key),
      resources: resources.map((resource) => resource.name),
      warnings: source.warnings,
      deployedAt: toInstant(this.#deps.clock.now()),
      deployedBy: actorOf(principal).by,
    };
  }

  /** Announces and writes the files of a version and stages what is stored in the table. */
  async #store(
    unit: UnitOfWork,
    version: DeployedVersion,
    { request, source }: { request: NewDeployment; source: CompiledSource },
  ): Promise<void> {
    const { contents, pending, compensation, machine } = this.#deps;
    const { deploymentId, tenantCode, workflowCode } = version;
    const { cases, decisions, snapshot } = source;
    const parts = [
      await contents.pack(deploymentId, 'MODEL', { facts: factsOf(version), cases, decisions }),
      await contents.pack(deploymentId, 'SNAPSHOT', snapshot),
    ];
    const files = [...documentsOf(deploymentId, request), ...parts.flatMap(fileOf)];
    const intent: DeploymentIntent = {
      ...{ deploymentId, tenantCode, workflowCode, attempts: 0 },
      files: files.map(({ path }) => path),
      dueAt: machine.now() + CALL_MS,
    };
    await apart(() => pending.announce(intent));
    unit.afterFailure(() =>
      apart(async () => {
        await compensation.undo(intent);
      }),
    );
    faultPoint('deployment-announced');
    for (const file of files) await contents.write(file);
    faultPoint('deployment-written');
    for (const part of parts) contents.stage(unit, deploymentId, part);
    pending.stageDone(unit, deploymentId);
  }

  async #published(
    tenantCode: string,
    list: 'cases' | 'decisions',
    keys: readonly string[],
  ): Promise<readonly string[]> {
    const tenants = tenantCode === '' ? [''] : [tenantCode, ''];
    const found = await Promise.all(
      keys.map(async (key) => {
        for (const tenant of tenants) {
          if (await this.#deps.repository.findPublished(tenant, list, key)) return [key];
        }
        return [];
      }),
    );
    return found.flat();
  }
}

interface VersionParts {
  readonly tenantCode: string;
  readonly contentHash: string;
  readonly source: CompiledSource;
  readonly head: WorkflowHead | undefined;
  readonly principal: Principal;
}

/** SHA-256 of all that makes a version; two deployments of the same are one. */
function hashOf(request: NewDeployment, caseDefinitionKey: string): string {
  const { xml, resources, name, category, historyRetentionMs } = request;
  const { taskVariables = [], uniqueBusinessKey = false } = request;
  const all = [
    ...[xml, resources.map((resource) => [resource.name, resource.xml]), caseDefinitionKey],
    ...[name ?? null, category ?? null, taskVariables],
    ...[historyRetentionMs ?? null, uniqueBusinessKey],
  ];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

const XML = 'application/xml';

const documentsOf = (deploymentId: string, { xml, resources }: ModelSource): ContentFile[] => [
  { path: modelPath(deploymentId), body: Buffer.from(xml), contentType: XML },
  ...resources.map((resource, at) => ({
    path: resourcePath(deploymentId, at),
    body: Buffer.from(resource.xml),
    contentType: XML,
  })),
];

const fileOf = ({ path, bytes }: PackedPart): ContentFile[] =>
  path === undefined ? [] : [{ path, body: bytes, contentType: 'application/gzip' }];
