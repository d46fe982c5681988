import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { RecordReading } from '../../../shared/ports/records.ts';
import type { AllOnDemand } from '../../../shared/primitives/once.ts';
import type { DefinitionReader } from '../definitions/definition-reader.ts';
import { CaseList } from '../store/cases/case-list.ts';
import { CaseRecords } from '../store/cases/case-records.ts';
import { RowSearch } from '../store/cases/row-search.ts';
import { CaseErasure } from '../store/families/case-erasure.ts';
import { CaseObjects } from '../store/families/case-objects.ts';
import { FamilyStore } from '../store/families/family-store.ts';
import { FamilyWriter } from '../store/families/family-writer.ts';
import { RestRunner } from '../store/families/rest-runner.ts';
import { RetentionSweep } from '../store/families/retention-sweep.ts';
import { Packer } from '../store/packed.ts';
import { CaseActions } from './case-actions.ts';
import { CaseCommands, type CaseCommandsDependencies } from './case-commands.ts';
import { CaseDeletion } from './case-deletion.ts';
import { CaseReader } from './case-reader.ts';
import { CaseRemoval } from './case-removal.ts';
import { CaseStarter } from './case-starter.ts';
import { ExternalWork } from './external-work.ts';
import { PlanItemCommands } from './plan-item-commands.ts';
import { Signals } from './signals.ts';
import { StartRights } from './start-rights.ts';

export interface CaseServicesDependencies
  extends Pick<
    CaseCommandsDependencies,
    'limits' | 'eventsOf' | 'reminderLeadMs' | 'afterCommit' | 'onProcesses'
  > {
  readonly definitions: DefinitionReader;
  readonly files: Files;
  /** Business records; absent: of none are cases started. */
  readonly businessRecords?: BoundPort<RecordReading> | undefined;
  /** `svc.workflow.history-retention` (ms). */
  readonly historyRetentionMs?: number | undefined;
}

/** The services of cases. */
export function createCaseServices(
  context: ServiceContext<PlatformConfig>,
  given: CaseServicesDependencies,
) {
  const packer = new Packer({ files: given.files, ids: context.ids });
  const machine = { clock: context.tenantClock.machine };
  const objects = new CaseObjects({ ...context, packer, ...machine });
  const rests = new RestRunner({ ...context, packer, objects, ...machine });
  const families = new FamilyStore({ ...context, packer, rests });
  const writer = new FamilyWriter({ ...context, objects, rests });
  const commands = new CaseCommands({ ...context, ...given, families, writer });
  const records = new CaseRecords({ ...context, packer });
  const rows = new RowSearch(context);
  const erasure = new CaseErasure({ ...context, families, packer, ...machine });
  const retentionMs = given.historyRetentionMs;
  return {
    ...{ rests, families, writer, commands, erasure, records, packer, objects },
    retention: new RetentionSweep({ ...context, ...machine, erasure, retentionMs }),
    startRights: new StartRights(given.businessRecords),
    deletion: new CaseDeletion({ ...context, families, erasure }),
    removal: new CaseRemoval({ ...context, commands, records, erasure }),
    list: new CaseList({ ...context, records }),
    actions: new CaseActions({ ...given, commands }),
    signals: new Signals({ ...context, commands, families, rows }),
    works: new ExternalWork({ ...context, ...machine, commands, rows, packer }),
    starter: new CaseStarter({ ...context, ...given, commands, records }),
    reader: new CaseReader({ ...context, ...given, families, records }),
    planItems: new PlanItemCommands({ ...given, commands }),
  };
}

/** Services of `createCaseServices`. */
export type CaseServices = ReturnType<typeof createCaseServices>;

/** The same as routes call them: their code is loaded with the first call. */
export type CaseCalls = AllOnDemand<CaseServices>;
