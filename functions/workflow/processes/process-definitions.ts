import { createHash } from 'node:crypto';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { ProblemItem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { readableTenants, workingTenant } from '../definitions/tenancy.ts';
import type { ProcessModel, ProcessProblem } from '../domain/bpmn/index.ts';
import { problems } from '../errors.ts';
import type {
  ProcessContent,
  ProcessDefinition,
  ProcessDefinitionStore,
} from '../store/processes/process-definition-store.ts';
import { loadBpmn } from './bpmn.ts';

/** A document to deploy. */
export interface NewProcessDefinition {
  /** Key of the process when absent. */
  readonly code?: string | undefined;
  readonly xml: string;
  readonly tenantCode?: string | undefined;
}

/** What is right and wrong with a document. */
export interface ProcessModelReport {
  readonly valid: boolean;
  readonly processKey?: string;
  readonly errors: readonly ProcessProblem[];
  readonly warnings: readonly ProcessProblem[];
  readonly model?: ProcessModel;
}

/** A document without errors. */
export interface CompiledProcess {
  readonly xml: string;
  readonly model: ProcessModel;
  readonly warnings: readonly ProcessProblem[];
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
  /** `svc.mq.enabled`: without it nobody would hear what service tasks ask for. */
  readonly sendsMessages: boolean;
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

  /** Checks a document by the rules of a deployment; nothing is stored. */
  async check(xml: string): Promise<ProcessModelReport> {
    const { compileProcess } = await loadBpmn();
    const { model: compiled, problems: told } = await compileProcess(xml);
    const unsent = this.#deps.sendsMessages ? [] : unsentBy(compiled);
    const model = unsent.length > 0 ? undefined : compiled;
    const found = [...told, ...unsent];
    return {
      valid: model !== undefined,
      ...(model && { processKey: model.processKey, model }),
      errors: found.filter(({ severity }) => severity === 'ERROR'),
      warnings: found.filter(({ severity }) => severity === 'WARNING'),
    };
  }

  /**
   * Deploys the next version; the same document again leads to the version that is there.
   * @throws Problem `MODEL_INVALID` (422), `PROCESS_CODE_TAKEN` (409), `FORBIDDEN` (403)
   */
  async deploy(
    { code, xml, tenantCode: requested }: NewProcessDefinition,
    principal: Principal,
  ): Promise<{ readonly definition: ProcessDefinition; readonly isNew: boolean }> {
    const tenantCode = workingTenant(principal, requested);
    const compiled = await this.#compiled(xml);
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

  /** The compiled form of a document. @throws Problem `MODEL_INVALID` (422) */
  async compile(xml: string): Promise<ProcessModel> {
    return (await this.#compiled(xml)).model;
  }

  async #compiled(xml: string): Promise<CompiledProcess> {
    const errors: ProblemItem[] = [];
    const compiled = await this.compiled(xml, '/xml', errors);
    if (!compiled) throw problems.modelInvalid(errors);
    return compiled;
  }

  /** The compiled form of a document; else what is wrong is added to the errors. */
  async compiled(
    xml: string,
    pointer: string,
    errors: ProblemItem[],
  ): Promise<CompiledProcess | undefined> {
    const { model, errors: found, warnings } = await this.check(xml);
    if (model) return { xml, model, warnings };
    errors.push(...found.map((problem) => toItem(problem, pointer)));
    return undefined;
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

/** Service tasks whose messages nobody would hear. */
const unsentBy = (model: ProcessModel | undefined): ProcessProblem[] =>
  Object.keys(model?.requests ?? {}).map((elementId) => ({
    ...{
      code: 'SERVICE_TASK_UNSUPPORTED',
      severity: 'ERROR',
      elementId,
      elementType: 'serviceTask',
    },
    message: 'A service task that sends a message needs svc.mq.enabled.',
  }));

/** A problem of a document, as an answer lists it. */
function toItem(
  { code, message, severity: _, ...place }: ProcessProblem,
  pointer: string,
): ProblemItem {
  const item = { pointer, code, detail: message, ...place };
  return item;
}
