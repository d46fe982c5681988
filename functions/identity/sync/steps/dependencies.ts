import type { EventPublisher } from '../../../../shared/messaging/wire/event-publisher.ts';
import type {
  DepartmentRepository,
  ProtectedAccounts,
  UserRepository,
} from '../../../../shared/ports/identity.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { HistoryRepository } from '../../store/history-repository.ts';
import type { RunFiles } from '../../store/run-files.ts';
import type { RunLocks } from '../../store/run-lock.ts';
import type { SyncStates } from '../../store/sync-state-repository.ts';
import type { Histories } from '../run/histories.ts';
import type { LockKeeper } from '../run/lock-keeper.ts';
import type { SourceAccess } from '../run/source-access.ts';

/** What the steps of a run work with. */
export interface StepDependencies {
  readonly access: SourceAccess;
  readonly locks: RunLocks;
  readonly keeper: LockKeeper;
  readonly histories: Histories;
  readonly history: HistoryRepository;
  readonly states: SyncStates;
  readonly files: RunFiles;
  readonly users: UserRepository;
  readonly departments: DepartmentRepository;
  readonly protectedAccounts?: ProtectedAccounts | undefined;
  /** Providers of logins that belong to a source. */
  readonly providerIdsOf?: ((sourceId: string) => Promise<readonly string[]>) | undefined;
  /** Ids of the accounts whose main department this is, as far as the repository can tell. */
  readonly membersOf?: ((departmentId: string) => Promise<readonly string[]>) | undefined;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly ids: IdGenerator;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
  readonly notifyOnFirstImport: boolean;
  /** Time of one step (ms); what is left then is done by the next one. */
  readonly stepMs: number;
}
