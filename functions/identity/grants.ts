import type { PlatformConfig } from '../../shared/config/index.ts';
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
  objects,
  publishesMessages,
  schedules as schedulesOf,
  secrets,
  sendsMail,
} from '../../shared/module/grants.ts';
import type { IdentityConfig } from './configuration.ts';
import { EVENT_GROUP, JOB_GROUP } from './listeners.ts';
import { SESSION_SECRET } from './login/session-secret.ts';

/** What steps of runs and events need: both change accounts. */
const ofRuns = (config: PlatformConfig): Grant[] => [
  items(['identity_source#*'], ['GetItem', 'PutItem'], 'Sources and what their runs leave behind.'),
  items(
    ['identity_source_sync_history#*'],
    ['BatchGetItem', 'PutItem', 'Query'],
    'Runs of sources.',
  ),
  items(
    ['identity_source_sync_record#*'],
    ['BatchGetItem', 'Query'],
    'What a run did with each object.',
  ),
  items(
    ['USER#*', 'USERLINK#*', 'USERNAME#*', 'USEREMAIL#*', 'USERPHONE#*'],
    ['DeleteItem', 'PutItem'],
    'Accounts, their links to sources, and values that one account has.',
  ),
  items(
    ['USER#*', 'USERLINK#*', 'USERNAME#*', 'USEREMAIL#*'],
    ['GetItem'],
    'Accounts by id, link, user name or mail address.',
  ),
  items(['USERLINK#*'], ['Query'], 'Accounts that are linked with a source or a provider.'),
  items(['USER#*', 'USERLINK#*'], ['BatchGetItem'], 'Accounts that a run compares or changes.'),
  indexQueries('gsi1', ['USERLINK#@alias#*'], 'Accounts by what else their source knows them by.'),
  items(['DEPT#*'], ['BatchGetItem', 'GetItem'], 'Departments and what is above them.'),
  items(['DEPTLINK#*'], ['Query'], 'Departments of a source.'),
  items(
    ['DEPT#*', 'DEPTCODE#*', 'DEPTLINK#*'],
    ['DeleteItem', 'PutItem'],
    'Departments, their codes and their links to sources.',
  ),
  items(['DEPT#*'], ['ConditionCheckItem'], 'A department hangs below one that is there.'),
  items(['DEPT#@below#*'], ['Query'], 'Departments below one that is to go.'),
  indexQueries('gsi2', ['USER#@in#*'], 'Members of a department.'),
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
  followsRefreshes(),
  ...publishesMessages(config),
];

/** What the steps of runs need. */
export const ofSteps = (config: PlatformConfig): Grant[] => [
  ...ofRuns(config),
  items(['identity_source_sync_record#*'], ['BatchWriteItem'], 'What a run has done.'),
  files(['identity/runs/'], 'What a run reads and plans.'),
];

/** What the function of the module needs. */
export const ofModule = (config: IdentityConfig): Grant[] => [
  ...ofRuns(config),
  objects(
    ['identity/runs/'],
    ['GetObject', 'PutObject'],
    'Plans of runs that are approved or shown, whom a run is about, and a run as CSV.',
  ),
  items(['identity_source_sync_history#*'], ['GetItem'], 'The run whose records are listed.'),
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
];

const KEYS = 'The secret that keys of logins are derived from.';
const sendsNotices = ({ idp }: IdentityConfig): Grant[] =>
  idp.mailFrom === '' ? [] : [sendsMail([idp.mailFrom], 'Notices to new users, and alerts.')];

const keysOfLogins = ({ idp }: IdentityConfig): Grant[] =>
  idp.sessionSecret === ''
    ? [generatedSecret(SESSION_SECRET, KEYS)]
    : [secrets(['svc-cloud/'], KEYS)];
