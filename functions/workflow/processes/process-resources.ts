import type { ProblemItem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type {
  AccompanyingProcesses,
  StageProcesses,
} from '../definitions/accompanying-processes.ts';
import { isBpmn } from '../domain/definitions/bpmn-document.ts';
import type { DeployedProcesses } from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';
import type { ProcessDefinitions } from './process-definitions.ts';
import type { CompiledProcess, ProcessDocuments } from './process-documents.ts';

interface Resource {
  readonly xml: string;
}

/** Processes of one deployment of cases: each takes several writes of its transaction. */
const MAX_PROCESSES = 8;

/** Compiles and stages processes that come along with a deployment of cases. */
export class ProcessResources implements AccompanyingProcesses {
  readonly #definitions: ProcessDefinitions;
  readonly #documents: ProcessDocuments;

  constructor({
    definitions,
    documents,
  }: {
    readonly definitions: ProcessDefinitions;
    readonly documents: ProcessDocuments;
  }) {
    this.#definitions = definitions;
    this.#documents = documents;
  }

  async compile(resources: readonly Resource[]): Promise<StageProcesses> {
    const found = resources.flatMap(({ xml }, at) =>
      isBpmn(xml) ? [{ xml, pointer: `/resources/${at}/xml` }] : [],
    );
    const errors: ProblemItem[] = [];
    if (found.length > MAX_PROCESSES) {
      const detail = `The deployment has ${found.length} processes; at most ${MAX_PROCESSES} are accepted.`;
      throw problems.modelInvalid([
        { pointer: '/resources', code: 'TOO_MANY_DEFINITIONS', detail },
      ]);
    }
    const compiled = new Map<string, CompiledProcess>();
    for (const { xml, pointer } of found) {
      const process = await this.#documents.compiled(xml, pointer, errors);
      if (!process) continue;
      const { processKey } = process.model;
      if (compiled.has(processKey)) {
        const detail = `Two documents of the deployment have the process "${processKey}".`;
        errors.push({ pointer, code: 'DUPLICATE_PROCESS_KEY', detail });
      }
      compiled.set(processKey, process);
    }
    if (errors.length > 0) throw problems.modelInvalid(errors);
    return (unit, tenantCode, principal) =>
      this.#stage(unit, [...compiled.values()], tenantCode, principal);
  }

  async #stage(
    unit: UnitOfWork,
    compiled: readonly CompiledProcess[],
    tenantCode: string,
    principal: Principal,
  ): Promise<DeployedProcesses> {
    const deployed: Record<string, DeployedProcesses[string]> = {};
    for (const process of compiled) {
      const { definition } = await this.#definitions.stage(
        unit,
        process,
        { tenantCode },
        principal,
      );
      const { workflowCode, version } = definition;
      deployed[definition.processKey] = { workflowCode, version };
    }
    return deployed;
  }
}
