import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { ReEncryption } from '../../shared/ports/re-encryption.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { RoundWork } from '../../shared/re-encryption/round-work.ts';
import { AccountService } from './accounts/account-service.ts';
import { defaultPasswordPolicy } from './accounts/default-password-policy.ts';
import type { IdentityConfig } from './configuration.ts';
import { EventService } from './events/event-service.ts';
import { EventWorker } from './events/event-worker.ts';
import { keysOf, mayOpen } from './http/outgoing.ts';
import { createJobs, type IdentityJobs } from './jobs/identity-jobs.ts';
import { createLogins, providerIdsOf } from './login/create-logins.ts';
import { SessionKeys } from './login/session-keys.ts';
import { SESSION_SECRET } from './login/session-secret.ts';
import { TokenSessionIssuer } from './login/token-session-issuer.ts';
import { createMailer } from './mail/create-mailer.ts';
import { MailNotifier } from './mail/mail-notifier.ts';
import { MailService } from './mail/mail-service.ts';
import { EventTexts } from './re-encryption/event-texts.ts';
import { ProviderTexts } from './re-encryption/provider-texts.ts';
import { ReEncryptionWork } from './re-encryption/re-encryption-work.ts';
import { SourceTexts } from './re-encryption/source-texts.ts';
import { AccountRemoval } from './sources/account-removal.ts';
import { ConfigChanger } from './sources/config-changer.ts';
import { RunExport } from './sources/run-export.ts';
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
import { ProviderRepository } from './store/providers/provider-repository.ts';
import { RateLimiter } from './store/rate-limiter.ts';
import { SourceRepository } from './store/source-repository.ts';
import type { SyncParts } from './sync/create-source-sync.ts';
import type { SourceSync } from './sync/source-sync.ts';

/** What the services use of other modules. */
export interface OtherModules {
  readonly encryption: EncryptService;
  /** Settings by name, where the function reads them. */
  readonly settings?: () => SettingService;
  /** The re-encryption of the settings module, where the function takes part in it. */
  readonly reEncryption?: () => ReEncryption;
}

/** What is made elsewhere. */
export interface IdentityParts {
  readonly sync: SourceSync;
}

/** What services and synchronisation share. */
export const createDirectory = (
  context: ServiceContext<IdentityConfig>,
  { encryption }: OtherModules,
): Pick<SyncParts, 'configs' | 'users' | 'departments' | 'membersOf'> => ({
  configs: new SourceConfigs(context.host.encryptionModule ?? encryption),
  users: context.host.userRepository ?? new TableUsers(context),
  departments: context.host.departmentRepository ?? new TableDepartments(context),
  ...(!context.host.userRepository && {
    membersOf: (id) => new UserDirectory(context).membersOf(id),
  }),
});

/** All services of the module. */
export function createServices(
  context: ServiceContext<IdentityConfig>,
  others: OtherModules,
  { sync }: IdentityParts,
) {
  const { encryption } = others;
  const { host } = context;
  const repository = new SourceRepository(context);
  const history = new HistoryRepository(context);
  const { configs, users, departments } = createDirectory(context, { encryption });
  const passwordPolicy = host.passwordPolicy ?? defaultPasswordPolicy;
  const changer = new ConfigChanger({
    configs,
    departments,
    passwordPolicy,
    sync,
    mayOpen: mayOpen(context),
  });
  const stores = { ...context, repository, history, configs, changer, sync };
  const limiter = new RateLimiter(context);
  const eventRepository = new EventRepository(context);
  const sessionKeys = new SessionKeys({
    readSecret: context.readSecret,
    clock: context.tenantClock.machine,
    log: context.log,
    secret: context.config.idp.sessionSecret || (generatedSecretOf(context) ?? ''),
  });
  const sources = new SourceService(stores);
  const jobs = createJobs(context);
  const reEncryption = reEncryptionOf(context, others, jobs);
  jobs.register('RE_ENCRYPT', reEncryption);
  jobs.register(
    'REMOVE_ACCOUNTS',
    new AccountRemoval({
      ...{ users, departments, protectedAccounts: host.protectedAccounts },
      providerIdsOf: (sourceId) => providerIdsOf(context, sourceId),
    }),
  );
  const sessionIssuer = host.sessionIssuer ?? tokenIssuer(context, sessionKeys);
  const accounts = new AccountService({
    ...{ users, departments, repository, sync },
    userDirectory: new UserDirectory(context),
    departmentDirectory: new DepartmentDirectory(context),
  });
  const ofLogins = { encryption: host.encryptionModule ?? encryption, users, accounts };
  return {
    ...createLogins(context, { ...ofLogins, sessionIssuer }),
    ...{ sources, jobs, reEncryption },
    removal: new SourceRemoval({ ...stores, sources, jobs }),
    validator: new SourceValidator({ ...stores, sources, limiter }),
    sourceReader: new SourceReader(stores),
    users,
    departments,
    mail: mailOf(context, others, { ...stores, users }),
    sessionKeys,
    ...{ sessionIssuer, accounts },
    runExport: new RunExport(stores),
    runs: new RunReader({ ...stores, sources, eventRepository }),
    eventService: new EventService({
      ...{ ...stores, eventRepository, limiter, encryption: host.encryptionModule ?? encryption },
      keysOf: keysOf(context),
    }),
    eventWorker: new EventWorker({ ...stores, eventRepository }),
  };
}

function mailOf(
  { config: { idp }, host, log }: ServiceContext<IdentityConfig>,
  { settings = () => ({ getValue: async () => undefined }) }: OtherModules,
  parts: Pick<ConstructorParameters<typeof MailService>[0], 'repository' | 'configs' | 'users'>,
): MailService {
  const mailer = createMailer(idp.mailFrom);
  return new MailService({
    ...{ ...parts, mailer, alertTo: idp.alertTo },
    notifier: host.notifier ?? new MailNotifier({ mailer, settings, log }),
  });
}

/** Texts that a host has encrypted by itself are its own. */
function reEncryptionOf(
  context: ServiceContext<IdentityConfig>,
  { encryption, reEncryption = withoutReEncryption }: OtherModules,
  jobs: IdentityJobs,
): ReEncryptionWork {
  const sources = new SourceRepository(context);
  const own = [
    new SourceTexts(sources),
    new EventTexts(sources, new EventRepository(context)),
    new ProviderTexts(new ProviderRepository(context)),
  ];
  return new ReEncryptionWork({
    ...{ unitOfWork: context.unitOfWork, encryption },
    texts: context.host.encryptionModule ? [] : own,
    rounds: new RoundWork({
      ...{ module: 'identity', kind: 'RE_ENCRYPT', subject: '*', jobs },
      ...{ unitOfWork: context.unitOfWork, reEncryption },
    }),
  });
}

const withoutReEncryption = (): never => {
  throw new Error('Only the function of the module takes part in a re-encryption');
};

const generatedSecretOf = ({ environment }: ServiceContext<IdentityConfig>): string | undefined =>
  environment.services.secrets?.[SESSION_SECRET];

const tokenIssuer = (
  { config, tenantClock, ids, log }: ServiceContext<IdentityConfig>,
  keys: SessionKeys,
): TokenSessionIssuer =>
  new TokenSessionIssuer({
    ...{ keys, ids, log, clock: tenantClock.machine },
    tokenExpiration: config.idp.tokenExpiration,
  });
