import type { ServiceContext, Task } from '../../../shared/lambda/module-context.ts';
import type {
  DepartmentRepository,
  ProtectedAccounts,
  UserRepository,
} from '../../../shared/ports/identity.ts';
import type { RecurringSchedules } from '../../../shared/schedules/recurring-schedule.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { IdentityConfig } from '../configuration.ts';
import type { Providers } from '../providers/provider.ts';
import type { SourceConfigs } from '../sources/source-configs.ts';
import { HistoryRepository } from '../store/history-repository.ts';
import type { RunFiles } from '../store/run-files.ts';
import { RunLocks } from '../store/run-lock.ts';
import { SourceRepository } from '../store/source-repository.ts';
import { SyncStates } from '../store/sync-state-repository.ts';
import type { Executions } from './machine/executions.ts';
import { DeadRuns } from './run/dead-runs.ts';
import { Histories } from './run/histories.ts';
import { LockKeeper } from './run/lock-keeper.ts';
import { plannedChanges } from './run/planned-changes.ts';
import { SourceAccess } from './run/source-access.ts';
import { SourcePass } from './schedules/source-pass.ts';
import { SourceSchedules } from './schedules/source-schedules.ts';
import { Hints } from './service/hints.ts';
import { Preview } from './service/preview.ts';
import { Provisioning } from './service/provisioning.ts';
import { Retries } from './service/retries.ts';
import { RunStarter } from './service/run-starter.ts';
import { SourceHold } from './service/source-hold.ts';
import { Validation } from './service/validation.ts';
import type { SourceSync } from './source-sync.ts';
import type { StepDependencies } from './steps/dependencies.ts';
import { syncTasks } from './steps/tasks.ts';

/** What the synchronisation uses besides the context. */
export interface SyncParts {
  readonly configs: SourceConfigs;
  readonly providers: Providers;
  readonly users: UserRepository;
  readonly departments: DepartmentRepository;
  readonly protectedAccounts?: ProtectedAccounts | undefined;
  /** Providers of logins that belong to a source. */
  readonly providerIdsOf?: StepDependencies['providerIdsOf'];
  /** Accounts by their main department, where the repository can tell. */
  readonly membersOf?: StepDependencies['membersOf'];
  readonly files: RunFiles;
  readonly executions: Executions;
  readonly schedules: RecurringSchedules | undefined;
}

/** What the module has of the synchronisation. */
export interface CreatedSync {
  readonly sync: SourceSync;
  /** Looks after all sources, every quarter of an hour. */
  readonly pass: SourcePass;
  /** Tasks of the state machine. */
  readonly tasks: Readonly<Record<string, Task>>;
}

/** A step ends well before the time of its function. */
const STEP_MS = 8 * 60_000;

/** Makes the synchronisation. */
export function createSourceSync(
  context: ServiceContext<IdentityConfig>,
  parts: SyncParts,
): CreatedSync {
  const { config, unitOfWork, log, ids, events, environment } = context;
  const clock = context.tenantClock.machine;
  const sources = new SourceRepository(context);
  const history = new HistoryRepository(context);
  const states = new SyncStates(context);
  const locks = new RunLocks(context);
  const histories = new Histories({ history, ids, clock });
  const keeper = new LockKeeper({ locks, executions: parts.executions, unitOfWork, clock });
  const access = new SourceAccess({ ...parts, sources });
  const shared = { locks, keeper, histories, history, states, unitOfWork, clock, log, events };
  const steps: StepDependencies = {
    ...{ ...parts, ...shared, access, ids, stepMs: STEP_MS },
    notifyOnFirstImport: config.idp.notifyOnFirstImport,
  };
  const zone = config.idp.zoneId;
  const schedules = new SourceSchedules({
    ...{ ...shared, store: parts.schedules, zone },
    hasNoZones: environment.stage === 'local',
  });
  const deadRuns = new DeadRuns({ ...shared, ...parts });
  const starter = new RunStarter({ ...shared, ...parts, deadRuns });
  const retries = new Retries({ ...shared, access, starter });
  const validation = new Validation({ ...parts, clock, zone });
  const preview = new Preview(parts);
  const hold = new SourceHold(steps);
  const hints = new Hints(steps, hold);
  const provisioning = new Provisioning(steps, hold);
  return {
    sync: {
      execute: (source, request, principal) => starter.execute(source, request, principal),
      approve: (batch, principal) => starter.approve(batch, principal),
      retry: (batch, principal) => retries.retry(batch, principal),
      cancel: (batch, principal) => starter.cancel(batch, principal),
      register: (source) => schedules.register(source),
      deregister: async ({ id }) => {
        await schedules.deregister(id);
        await starter.cancelRunning(id);
      },
      demandFree: ({ id }) => starter.demandFree(id),
      validate: (tried) => validation.validate(tried),
      preview: (call) => preview.of(call),
      schedule: (jobConfig) => validation.schedule(jobConfig),
      closeDead: (sourceId, batch) => deadRuns.closeBatch(sourceId, batch),
      planned: (sourceId, batch) => plannedChanges(parts.files, { sourceId, batch }),
      share: (...call) => parts.files.share(...call),
      applyOne: (source, hint) => hints.apply(source, hint),
      provision: (source, userIds) => provisioning.provision(source, userIds),
      runForEvents: async (source, mode) => {
        await starter.execute(source, { mode }, systemPrincipal, 'EVENT');
      },
    },
    pass: new SourcePass({ ...shared, sources, schedules, deadRuns }),
    tasks: syncTasks(steps),
  };
}
