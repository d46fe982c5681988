import { createHash } from 'node:crypto';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { readableTenants, workingTenant } from '../definitions/tenancy.ts';
import type { ProcessModel } from '../domain/bpmn/index.ts';
import { problems } from '../errors.ts';
import type {
  ProcessContent,
  ProcessDefinition,
  ProcessDefinitionStore,
} from '../store/processes/process-definition-store.ts';
import type { CompiledProcess, ProcessDocuments } from './process-documents.ts';

/** A document to deploy. */
export interface NewProcessDefinition {
  /** Key of the process when absent. */
  readonly code?: string | undefined;
  readonly xml: string;
  readonly tenantCode?: string | undefined;
}

/** A version with its compiled form. */
export interface LoadedProcess {
  readonly definition: ProcessDefinition;
  readonly model: ProcessModel;
}

/** Which version is meant: by code, or by the key of its process. */
export interface ProcessReference {
  readonly code?: string | undefined;
  readonly processKey?: string | undefined;
  readonly version?: number | undefined;
}

export interface ProcessDefinitionsDependencies {
  readonly store: ProcessDefinitionStore;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly documents: ProcessDocuments;
}

/** Models that an environment keeps. */
const MAX_KEPT = 50;

/** Deploys processes and finds their versions. */
export class ProcessDefinitions {
  readonly #deps: ProcessDefinitionsDependencies;
  readonly #kept = new Map<string, ProcessModel>();

  constructor(dependencies: ProcessDefinitionsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deploys the next version; deploying the same document again returns the existing version.
   * @throws Problem `MODEL_INVALID` (422), `PROCESS_CODE_TAKEN` (409), `FORBIDDEN` (403)
   */
  async deploy(
    { code, xml, tenantCode: requested }: NewProcessDefinition,
    principal: Principal,
  ): Promise<{ readonly definition: ProcessDefinition; readonly isNew: boolean }> {
    const tenantCode = workingTenant(principal, requested);
    const compiled = await this.#deps.documents.require(xml);
    return this.#deps.unitOfWork((unit) =>
      this.stage(
        unit,
        compiled,
        { tenantCode, workflowCode: code ?? compiled.model.processKey },
        principal,
      ),
    );
  }

  /**
   * Stages a document as the next version of its code, unless the newest one is the same.
   * @param place without a code: of the one that the process has, or else of its key
   * @throws Problem `PROCESS_CODE_TAKEN` (409)
   */
  async stage(
    unit: UnitOfWork,
    { xml, model, warnings }: CompiledProcess,
    {
      tenantCode,
      workflowCode: code,
    }: { readonly tenantCode: string; readonly workflowCode?: string },
    principal: Principal,
  ): Promise<{ readonly definition: ProcessDefinition; readonly isNew: boolean }> {
    const { store, clock, ids } = this.#deps;
    const { processKey, name } = model;
    const known = await store.codeOf(tenantCode, processKey);
    const workflowCode = code ?? known ?? processKey;
    const before = await store.newest(tenantCode, workflowCode);
    const isOther = known !== undefined && known !== workflowCode;
    if (isOther || (before && before.processKey !== processKey)) {
      throw problems.processCodeTaken({ code: workflowCode, processKey });
    }
    const contentHash = createHash('sha256').update(xml).digest('hex');
    if (before?.contentHash === contentHash) return { definition: before, isNew: false };
    const definition: ProcessDefinition = {
      ...{ definitionId: ids(), tenantCode, workflowCode, processKey, name, contentHash },
      version: (before?.version ?? 0) + 1,
      deployedAt: toInstant(clock.now()),
      deployedBy: principal.id,
      warnings,
    };
    await store.stage(unit, definition, { model, xml });
    return { definition, isNew: true };
  }

  /** @throws Problem `PROCESS_DEFINITION_NOT_FOUND` (404) */
  async get(
    code: string,
    tenantCode: string | undefined,
    version: number | undefined,
    principal: Principal,
  ): Promise<ProcessDefinition> {
    for (const tenant of readableTenants(principal, tenantCode)) {
      const found =
        version === undefined
          ? await this.#deps.store.newest(tenant, code)
          : await this.#deps.store.version(tenant, code, version);
      if (found) return found;
    }
    throw this.missing(code, version);
  }

  /** The document of a version, and the version. @throws Problem `PROCESS_DEFINITION_NOT_FOUND` (404) */
  async content(definition: ProcessDefinition): Promise<ProcessContent> {
    const { definitionId, workflowCode, version } = definition;
    const found = await this.#deps.store.content(definitionId);
    if (!found) throw this.missing(workflowCode, version);
    return found;
  }

  list(tenantCode: string, request: PageRequest): Promise<ReadPage<ProcessDefinition>> {
    return this.#deps.store.page(tenantCode, request);
  }

  /** Newest first. @throws Problem `PROCESS_DEFINITION_NOT_FOUND` (404) */
  async versions(
    code: string,
    requested: string | undefined,
    request: PageRequest,
    principal: Principal,
  ): Promise<ReadPage<ProcessDefinition>> {
    const { tenantCode } = await this.get(code, requested, undefined, principal);
    return this.#deps.store.versions(tenantCode, code, request);
  }

  /** The version that a start in the tenant is of: the tenant's own, else that of no tenant. */
  async find(
    tenant: string,
    { code, processKey, version }: ProcessReference,
  ): Promise<LoadedProcess | undefined> {
    const { store } = this.#deps;
    for (const place of new Set([tenant, ''])) {
      const known = code ?? (await store.codeOf(place, processKey ?? ''));
      if (known === undefined) continue;
      const definition =
        version === undefined
          ? await store.newest(place, known)
          : await store.version(place, known, version);
      const isAsked = processKey === undefined || definition?.processKey === processKey;
      if (definition && isAsked)
        return { definition, model: await this.model(definition.definitionId) };
    }
    return undefined;
  }

  /** What is answered when nothing is deployed under a name. */
  missing(process: string, version?: number): Error {
    return problems.processDefinitionNotFound({ process, version });
  }

  /** The compiled form of a version; kept by the environment. */
  async model(definitionId: string): Promise<ProcessModel> {
    const kept = this.#kept.get(definitionId);
    if (kept) return kept;
    const content = await this.#deps.store.content(definitionId);
    if (!content) throw new Error(`The process definition ${definitionId} has gone`);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(definitionId, content.model);
    return content.model;
  }
}
