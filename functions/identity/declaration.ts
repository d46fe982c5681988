import type { PlatformConfig } from '../../shared/config/index.ts';
import { defineModule } from '../../shared/module/declaration.ts';
import {
  claimsMessages,
  executions,
  files,
  followsRefreshes,
  type Grant,
  generatedSecret,
  indexQueries,
  items,
  keepsAnswers,
  publishesMessages,
  schedules as schedulesOf,
  secrets,
  sendsMail,
} from '../../shared/module/grants.ts';
import { rareJobMessages } from '../../shared/module/untested-grants.ts';
import { type IdentityConfig, idpSection } from './configuration.ts';
import { EVENT_TOPIC } from './events/topic.ts';
import { fuzzHints } from './fuzz.ts';
import { JOB_TOPIC } from './jobs/topic.ts';
import { EVENT_GROUP, JOB_GROUP, listeners, schedules } from './listeners.ts';
import { SESSION_SECRET } from './login/session-secret.ts';
import { MAIL_TOPICS } from './mail/mail-topics.ts';
import {
  DEPARTMENTS_PATH,
  PROVIDERS_PATH,
  SESSION_KEYS_PATH,
  SOURCES_PATH,
  SYNCHRONIZER_PATH,
  USERS_PATH,
} from './paths.ts';

const ENCRYPTION = {
  port: 'settings.encryption',
  reason: 'Connection data, secrets and events of sources are stored encrypted.',
};

const RE_ENCRYPTION = {
  port: 'settings.re-encryption',
  reason: 'No key is removed while texts of sources may be encrypted with it.',
};

/** What runs need, in the function of the module and in the job of their steps. */
const runsSources = (config: PlatformConfig): Grant[] => [
  items(['identity_source#*'], ['GetItem', 'PutItem'], 'Sources and what their runs leave behind.'),
  items(
    ['identity_source_sync_history#*'],
    ['BatchGetItem', 'GetItem', 'PutItem', 'Query'],
    'Runs of sources.',
  ),
  items(
    ['identity_source_sync_record#*'],
    ['BatchGetItem', 'BatchWriteItem', 'Query'],
    'What a run did with each object.',
  ),
  items(
    ['USER#*', 'USERLINK#*', 'USERNAME#*', 'USEREMAIL#*', 'USERPHONE#*'],
    ['DeleteItem', 'GetItem', 'PutItem'],
    'Accounts, their links to sources, and values that one account has.',
  ),
  items(['USER#*', 'USERLINK#*'], ['BatchGetItem'], 'Accounts that a run changes.'),
  items(['USERLINK#*'], ['Query'], 'Accounts that are linked with a source.'),
  items(
    ['DEPT#*', 'DEPTCODE#*', 'DEPTLINK#*'],
    ['DeleteItem', 'GetItem', 'PutItem'],
    'Departments, their codes and their links to sources.',
  ),
  items(['DEPT#*'], ['BatchGetItem', 'ConditionCheckItem'], 'What is above a department.'),
  items(['DEPT#@below#*', 'DEPTLINK#*'], ['Query'], 'Departments of a source, or below another.'),
  indexQueries('gsi2', ['USER#@in#*'], 'Whether a department still has members.'),
  items(
    ['LOCK#identity#*'],
    ['ConditionCheckItem', 'GetItem', 'PutItem'],
    'One run of a source at a time: what an older one writes is refused.',
  ),
  items(
    ['identity_provider#*'],
    ['BatchGetItem', 'Query'],
    'Accounts that a login has made are adopted by the source of its provider.',
  ),
  items(['SESSION#revoked'], ['PutItem'], 'Tokens of an account end when it is disabled.'),
  files(['identity/runs/'], 'What a run reads and plans.'),
  followsRefreshes(),
  ...publishesMessages(config),
];

/** Sources of people and departments, their synchronisation and the accounts. */
export const identity = defineModule<typeof idpSection>({
  name: 'identity',
  deliveredAs: 'svc-cloud-idp',
  configuration: idpSection,
  enabled: ({ idp }) => idp.enabled,
  paths: () => [SOURCES_PATH, SYNCHRONIZER_PATH, USERS_PATH, DEPARTMENTS_PATH, PROVIDERS_PATH],
  // Events are signed by their sources, everybody may read the keys of logins, and browsers open the page of a run.
  privatePaths: () => [USERS_PATH, DEPARTMENTS_PATH],
  routes: { file: 'api/routes', factory: 'identityRoutes' },
  tags: [
    { name: 'Identity sources', description: 'Where people and departments come from.' },
    {
      name: 'Synchronisation',
      description: 'Runs of sources, what they did with each object, and events of sources.',
    },
    { name: 'Users', description: 'Accounts of people, and departments.' },
    { name: 'Login', description: 'Keys that tokens of logins are checked by.' },
  ],
  listeners,
  // An object is read at the source, and a job goes on, which takes too long for the call that begins it.
  // Mail is sent by this function alone, whoever has something to tell.
  distributedTopics: [EVENT_TOPIC, JOB_TOPIC, ...MAIL_TOPICS],
  schedules,
  stateMachines: [{ name: 'sync', definitionFile: 'sync.asl.json' }],
  scheduleGroup: { target: { kind: 'state-machine', name: 'sync' } },
  jobs: [
    {
      name: 'sync',
      memoryMb: 512,
      timeoutSeconds: 900,
      uses: [ENCRYPTION],
      grants: runsSources,
    },
  ],
  sessionKeysPath: SESSION_KEYS_PATH,
  generatedSecrets: ({ idp }) =>
    idp.sessionSecret === ''
      ? [{ name: SESSION_SECRET, description: 'What the keys of logins are derived from' }]
      : [],
  expiringFiles: { 'identity/runs/': 7 },
  keyPrefixes: [
    'identity_source',
    'identity_provider',
    'identity_source_sync_history',
    'identity_source_sync_record',
    'identity_source_event_record',
    'USER*',
    'DEPT*',
    'SESSION',
  ],
  uses: [
    ENCRYPTION,
    RE_ENCRYPTION,
    {
      port: 'settings.values',
      names: ['notify.template.*'],
      reason: 'Texts of mails to new users.',
    },
  ],
  // A source answers slowly, and there may be many events.
  timeoutSeconds: 60,
  grants: (config) => [
    ...runsSources(config),
    executions(
      'sync',
      ['DescribeExecution', 'StartExecution'],
      'Runs are started; those that have died lose their source.',
    ),
    items(
      ['identity_source#*'],
      ['BatchGetItem', 'DeleteItem', 'Query'],
      'Sources are listed and deleted.',
    ),
    schedulesOf(
      ['CreateSchedule', 'DeleteSchedule', 'UpdateSchedule'],
      'Sources are synchronised when their configuration says so.',
    ),
    items(['identity_source#@rate#*'], ['UpdateItem'], 'Calls that cost a source are counted.'),
    items(
      ['identity_source_event_record#*'],
      ['BatchGetItem', 'GetItem', 'PutItem', 'Query'],
      'Events of sources.',
    ),
    items(
      ['identity_provider#*'],
      ['DeleteItem', 'GetItem', 'PutItem'],
      'Providers, and logins under way.',
    ),
    indexQueries('gsi1', ['identity_source_event_record#@of#*'], 'Events of a source.'),
    indexQueries('gsi2', ['identity_source_event_record#@pending'], 'Events to be applied.'),
    indexQueries('gsi1', ['identity_source_sync_history#@of#*'], 'Runs of a source.'),
    indexQueries('gsi1', ['USER#@of#*'], 'Accounts of a tenant by name.'),
    indexQueries('gsi1', ['DEPT#@of#*'], 'Departments of a tenant.'),
    ...claimsMessages(config, EVENT_GROUP),
    ...claimsMessages(config, JOB_GROUP),
    ...keepsAnswers('identity'),
    ...keysOfLogins(config),
    ...sendsNotices(config),
  ],
  untestedGrants: [
    ...rareJobMessages(JOB_GROUP),
    {
      actions: ['dynamodb:GetItem'],
      on: ['table'],
      keys: ['setting#notify.template.*'],
      reason: 'Only a source with notifyTemplateCode has a text of its own.',
    },
  ],
  fuzz: fuzzHints,
});

const KEYS = 'The secret that keys of logins are derived from.';
const sendsNotices = ({ idp }: IdentityConfig): Grant[] =>
  idp.mailFrom === '' ? [] : [sendsMail([idp.mailFrom], 'Notices to new users, and alerts.')];

const keysOfLogins = ({ idp }: IdentityConfig): Grant[] =>
  idp.sessionSecret === ''
    ? [generatedSecret(SESSION_SECRET, KEYS)]
    : [secrets(['svc-cloud/'], KEYS)];
