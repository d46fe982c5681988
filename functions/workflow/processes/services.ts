import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { AllOnDemand } from '../../../shared/primitives/once.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { CaseServices } from '../cases/services.ts';
import type { WorkflowConfig } from '../configuration.ts';
import type { ProcessHead } from '../domain/processes/process-head.ts';
import { ProcessDefinitionStore } from '../store/processes/process-definition-store.ts';
import { ProcessStore } from '../store/processes/process-store.ts';
import { ProcessCallSteps, type ProcessCallStepsDependencies } from './calls/process-call-steps.ts';
import { ProcessCalls } from './calls/process-calls.ts';
import { ProcessActions } from './process-actions.ts';
import { ProcessCommands } from './process-commands.ts';
import { ProcessDefinitions } from './process-definitions.ts';
import { ProcessDeletion } from './process-deletion.ts';
import { ProcessDocuments } from './process-documents.ts';
import { ProcessReader } from './process-reader.ts';
import { ProcessResources } from './process-resources.ts';
import { ProcessSimulation } from './process-simulation.ts';
import { ProcessStaging, type ProcessStagingDependencies } from './process-staging.ts';
import { ProcessStarter } from './process-starter.ts';
import { ProcessTasks } from './process-tasks.ts';

/** The services of processes, beside those of cases. */
export function createProcessServices(
  context: ServiceContext<WorkflowConfig>,
  cases: Pick<
    CaseServices,
    'packer' | 'objects' | 'rests' | 'families' | 'writer' | 'records' | 'commands' | 'startRights'
  >,
  {
    moveTimers,
    caseDefinitions,
  }: Pick<ProcessStagingDependencies, 'moveTimers'> &
    Pick<ProcessCallStepsDependencies, 'caseDefinitions'>,
) {
  const store = new ProcessStore({ ...context, ...cases });
  const documents = new ProcessDocuments({ sendsMessages: context.config.mq.enabled });
  const definitions = new ProcessDefinitions({
    ...{ ...context, documents },
    store: new ProcessDefinitionStore({ ...context, ...cases }),
  });
  const { events: eventPatterns, dueSoonLead: reminderLeadMs } = context.config.workflow;
  const stageEnd = (unit: UnitOfWork, head: ProcessHead): void => calls.stageEnd(unit, head);
  const own = { ...context, store, definitions, documents };
  const staging = new ProcessStaging({
    ...{ ...own, writer: cases.writer, eventPatterns, reminderLeadMs, stageEnd, moveTimers },
  });
  const commands = new ProcessCommands({ ...own, staging });
  const starter = new ProcessStarter({ ...own, commands, rights: cases.startRights });
  const steps = new ProcessCallSteps({
    ...{ ...own, commands, starter, packer: cases.packer, cases: cases.commands },
    ...{ caseDefinitions, objects: cases.objects },
  });
  const calls: ProcessCalls = new ProcessCalls({ ...context, steps });
  return {
    ...{ definitions, documents, commands, starter, calls },
    actions: new ProcessActions({ commands }),
    deletion: new ProcessDeletion({
      ...{ ...own, packer: cases.packer, families: cases.families },
      machine: context.tenantClock.machine,
    }),
    resources: new ProcessResources({ definitions, documents }),
    simulation: new ProcessSimulation(own),
    reader: new ProcessReader({ ...own, records: cases.records }),
    tasks: new ProcessTasks({ commands, store }),
  };
}

/** What `createProcessServices` makes. */
export type ProcessServices = ReturnType<typeof createProcessServices>;

/** The same, loaded with the first call. */
export type ProcessServiceCalls = AllOnDemand<ProcessServices>;
