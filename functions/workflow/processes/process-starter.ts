import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { NewCase } from '../cases/case-starter.ts';
import type { StartRights } from '../cases/start-rights.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import type { ProcessHead } from '../domain/processes/process-head.ts';
import type { ProcessCommands } from './process-commands.ts';
import type { LoadedProcess, ProcessDefinitions } from './process-definitions.ts';
import type { DoneProcessCommand } from './process-staging.ts';

/** A process to start, by exactly one of `workflowCode` and `processKey`. */
export interface NewProcess
  extends Omit<
    NewCase,
    'caseDefinitionKey' | 'definitionId' | 'businessStatus' | 'transientVariables'
  > {
  readonly processKey?: string | undefined;
}

export interface ProcessStarterDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly definitions: ProcessDefinitions;
  readonly commands: ProcessCommands;
  readonly rights: StartRights;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Starts processes. */
export class ProcessStarter {
  readonly #deps: ProcessStarterDependencies;

  constructor(dependencies: ProcessStarterDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `PROCESS_DEFINITION_NOT_FOUND` (404), `FORBIDDEN` (403), or why the engine refuses it */
  async start(wanted: NewProcess, principal: Principal): Promise<DoneProcessCommand> {
    const { unitOfWork, definitions, commands, rights, ids } = this.#deps;
    await rights.require(wanted, principal);
    const tenantCode = workingTenant(principal, wanted.tenantCode);
    const { workflowCode: code, processKey, version, variables } = wanted;
    const found = await definitions.find(tenantCode, { code, processKey, version });
    if (!found) throw definitions.missing(code ?? processKey ?? '', version);
    return unitOfWork((unit) => {
      const head = this.head(ids(), found, { ...wanted, tenantCode, startedBy: principal.id });
      return commands.start(unit, head, found, variables, principal);
    });
  }

  /** The head of an instance that starts now. */
  head(
    processInstanceId: string,
    { definition }: LoadedProcess,
    given: Pick<ProcessHead, 'tenantCode' | 'startedBy' | 'parent'> &
      Pick<NewProcess, 'name' | 'businessKey' | 'entityType' | 'entityId'>,
  ): ProcessHead {
    const { tenantCode, startedBy, parent, name, businessKey, entityType, entityId } = given;
    const { workflowCode, processKey, definitionId, version: definitionVersion } = definition;
    return {
      ...{ processInstanceId, tenantCode, workflowCode, processKey, definitionId },
      ...{ definitionVersion, name: name ?? definition.name, businessKey, entityType, entityId },
      ...{ state: 'waiting', startedBy, startedAt: toInstant(this.#deps.clock.now()), parent },
      sequence: 0,
    };
  }
}
