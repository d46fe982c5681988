import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import { AccountService } from './accounts/account-service.ts';
import { defaultPasswordPolicy } from './accounts/default-password-policy.ts';
import type { IdentityConfig } from './configuration.ts';
import { EventService } from './events/event-service.ts';
import { EventWorker } from './events/event-worker.ts';
import { keysOf } from './http/outgoing.ts';
import { SessionKeys } from './login/session-keys.ts';
import { TokenSessionIssuer } from './login/token-session-issuer.ts';
import { ConfigChanger } from './sources/config-changer.ts';
import { RunReader } from './sources/run-reader.ts';
import { SourceConfigs } from './sources/source-configs.ts';
import { SourceReader } from './sources/source-details.ts';
import { SourceRemoval } from './sources/source-removal.ts';
import { SourceService } from './sources/source-service.ts';
import { SourceValidator } from './sources/source-validator.ts';
import { UserDirectory } from './store/accounts/user-directory.ts';
import { TableUsers } from './store/accounts/user-repository.ts';
import { DepartmentDirectory } from './store/departments/department-directory.ts';
import { TableDepartments } from './store/departments/department-repository.ts';
import { EventRepository } from './store/events/event-repository.ts';
import { HistoryRepository } from './store/history-repository.ts';
import { RateLimiter } from './store/rate-limiter.ts';
import { SourceRepository } from './store/source-repository.ts';
import type { SyncParts } from './sync/create-source-sync.ts';
import type { SourceSync } from './sync/source-sync.ts';

/** What the services use of other modules. */
export interface OtherModules {
  readonly encryption: EncryptService;
}

/** What is made elsewhere. */
export interface IdentityParts {
  readonly sync: SourceSync;
}

/** What services and synchronisation share. */
export const createDirectory = (
  context: ServiceContext<IdentityConfig>,
  { encryption }: OtherModules,
): Pick<SyncParts, 'configs' | 'users' | 'departments'> => ({
  configs: new SourceConfigs(context.host.encryptionModule ?? encryption),
  users: context.host.userRepository ?? new TableUsers(context),
  departments: context.host.departmentRepository ?? new TableDepartments(context),
});

/** All services of the module. */
export function createServices(
  context: ServiceContext<IdentityConfig>,
  { encryption }: OtherModules,
  { sync }: IdentityParts,
) {
  const { host } = context;
  const repository = new SourceRepository(context);
  const history = new HistoryRepository(context);
  const { configs, users, departments } = createDirectory(context, { encryption });
  const passwordPolicy = host.passwordPolicy ?? defaultPasswordPolicy;
  const changer = new ConfigChanger({ configs, departments, passwordPolicy, sync });
  const stores = { ...context, repository, history, configs, changer, sync };
  const limiter = new RateLimiter(context);
  const eventRepository = new EventRepository(context);
  const sessionKeys = new SessionKeys({
    readSecret: context.readSecret,
    clock: context.tenantClock.machine,
    secret: context.config.idp.sessionSecret,
  });
  const sources = new SourceService(stores);
  return {
    sources,
    removal: new SourceRemoval({ ...stores, sources }),
    validator: new SourceValidator({ ...stores, sources, limiter }),
    sourceReader: new SourceReader(stores),
    users,
    departments,
    sessionKeys,
    sessionIssuer: host.sessionIssuer ?? tokenIssuer(context, sessionKeys),
    accounts: new AccountService({
      ...{ users, departments, repository },
      userDirectory: new UserDirectory(context),
      departmentDirectory: new DepartmentDirectory(context),
    }),
    runs: new RunReader({ ...stores, sources, eventRepository }),
    eventService: new EventService({
      ...{ ...stores, eventRepository, limiter, encryption: host.encryptionModule ?? encryption },
      keysOf: keysOf(context),
    }),
    eventWorker: new EventWorker({ ...stores, eventRepository }),
  };
}

const tokenIssuer = (
  { config, tenantClock, ids }: ServiceContext<IdentityConfig>,
  keys: SessionKeys,
): TokenSessionIssuer =>
  new TokenSessionIssuer({
    ...{ keys, ids, clock: tenantClock.machine },
    tokenExpiration: config.idp.tokenExpiration,
  });
