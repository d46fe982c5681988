import { createFiles } from '../../shared/files/create-files.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { BoundPort } from '../../shared/module/bind-port.ts';
import type { RecordMerging, RecordReading } from '../../shared/ports/records.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import { CommandListener } from './api/commands/command-listener.ts';
import { WorkflowRuntime } from './api/runtime/workflow-runtime.ts';
import { CaseProgress } from './cases/case-progress.ts';
import { createCaseServices } from './cases/services.ts';
import type { WorkflowConfig } from './configuration.ts';
import { DefinitionService } from './definitions/definition-service.ts';
import { DeploymentCompensation } from './definitions/deployment-compensation.ts';
import { DeploymentService } from './definitions/deployment-service.ts';
import { EventSender } from './definitions/event-sender.ts';
import { ModelCheck } from './definitions/model-check.ts';
import { Publication } from './definitions/publication.ts';
import { StoredDefinitions } from './definitions/stored-definitions.ts';
import { VersionStorage } from './definitions/version-storage.ts';
import { DeploymentCascade } from './deletions/deployment-cascade.ts';
import { caseEvents } from './domain/events/case-events.ts';
import { CMMN_PATH } from './paths.ts';
import { createProcessServices, type ProcessServices } from './processes/services.ts';
import { CaseUse } from './store/case-use.ts';
import { ContentStore } from './store/content-store.ts';
import { DefinitionRepository } from './store/definition-repository.ts';
import { PendingDeployments } from './store/pending-deployments.ts';
import { Readiness } from './store/readiness.ts';
import { ReminderRows } from './store/tasks/reminder-rows.ts';
import { ReminderSweep } from './tasks/reminder-sweep.ts';
import { createTaskServices } from './tasks/services.ts';
import { createTimerSchedules, createTimerServices } from './timers/services.ts';

/** Records of entities that cases are about. */
export interface BusinessRecords {
  readonly reading: BoundPort<RecordReading>;
  readonly merging: BoundPort<RecordMerging>;
}

/** All services of the module. */
export function createServices(
  context: ServiceContext<WorkflowConfig>,
  { reading: businessRecords, merging }: BusinessRecords,
) {
  const { machine } = context.tenantClock;
  const { files } = createFiles(context, {
    path: `${CMMN_PATH}/files`,
    keyPrefix: 'WF#@links',
    baseUrl: () => publicUrl(context.config.web),
  });
  const stores = {
    repository: new DefinitionRepository(context),
    contents: new ContentStore({ table: context.table, files }),
    pending: new PendingDeployments(context),
    caseUse: new CaseUse(context),
  };
  const sender = new EventSender(context);
  const readiness = new Readiness({ ...context, files, clock: machine });
  const publication = new Publication({ ...context, ...stores, sender });
  const compensation = new DeploymentCompensation({
    ...{ ...context, ...stores, sender, machine },
    retryMs: context.config.workflow.deploymentCompensationRetryMs,
    removeCases: (purge) => deploymentCascade.removeLate(purge),
  });
  const { historyRetention: historyRetentionMs, dueSoonLead } = context.config.workflow;
  const definitions = new StoredDefinitions(stores);
  const schedules = createTimerSchedules(context);
  const cases = createCaseServices(context, {
    ...{ definitions, files, historyRetentionMs, businessRecords },
    reminderLeadMs: dueSoonLead,
    eventsOf: (execution) => caseEvents(execution, context.config.workflow.events),
    afterCommit: (done) => schedules.follow(done),
    onProcesses: async (calls) => processes?.calls.follow(calls),
  });
  const hasProcesses = context.config.workflow.bpmnEndpointsEnabled;
  const processes: ProcessServices | undefined = hasProcesses
    ? createProcessServices(context, cases, {
        caseDefinitions: definitions,
        moveTimers: (moved, isFiring) => schedules.move(moved, isFiring),
      })
    : undefined;
  const storage = new VersionStorage({ ...stores, compensation, machine });
  const deploymentService = new DeploymentService({
    ...{ ...context, ...stores, machine, publication, storage },
    processes: processes?.resources,
  });
  const deploymentCascade = new DeploymentCascade({
    ...{ ...context, ...stores, machine, publication, deployments: deploymentService },
    removal: cases.removal,
  });
  const given = {
    ...{ runtime: () => runtime, businessRecords: merging, reminderLeadMs: dueSoonLead },
    processes: processes?.tasks,
  };
  const tasks = createTaskServices(context, cases, given);
  const runtime = new WorkflowRuntime({ ...context, cases, tasks, deploymentService });
  const commandListener = new CommandListener({ ...context, cases, runtime });
  return {
    modelCheck: new ModelCheck({ ...stores, hasProcesses }),
    ...{ compensation, deploymentCascade },
    definitions,
    cases,
    reminders: new ReminderSweep({
      ...{ ...context, sender, rows: new ReminderRows(context) },
      oldestRest: () => cases.rests.oldest(),
      isOn: context.config.mq.enabled,
    }),
    caseProgress: new CaseProgress({ ...context, ...cases, ...stores, definitions }),
    timers: createTimerServices(context, cases, processes?.tasks),
    ...{ readiness, tasks, runtime, commandListener, deploymentService, processes },
    definitionService: new DefinitionService({ ...context, ...stores, publication }),
  };
}
