import { defineModule } from '../../shared/module/declaration.ts';
import { idpSection } from './configuration.ts';
import { EVENT_TOPIC } from './events/topic.ts';
import { fuzzHints } from './fuzz.ts';
import { ofModule, ofSteps } from './grants.ts';
import { JOB_TOPIC } from './jobs/topic.ts';
import { listeners, schedules } from './listeners.ts';
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
import { MODULE_UNTESTED, STEPS_UNTESTED } from './untested-grants.ts';

const ENCRYPTION = {
  port: 'settings.encryption',
  reason: 'Connection data, secrets and events of sources are stored encrypted.',
};

const RE_ENCRYPTION = {
  port: 'settings.re-encryption',
  reason: 'No key is removed while texts of sources may be encrypted with it.',
};

/** Sources of people and departments, their synchronisation and the accounts. */
export const identity = defineModule<typeof idpSection>({
  name: 'identity',
  deliveredAs: 'svc-cloud-idp',
  configuration: idpSection,
  enabled: ({ idp }) => idp.enabled,
  paths: () => [SOURCES_PATH, SYNCHRONIZER_PATH, USERS_PATH, DEPARTMENTS_PATH, PROVIDERS_PATH],
  // Events are signed by their sources, everybody may read the keys of logins, and browsers open the page of a run.
  privatePaths: () => [USERS_PATH, DEPARTMENTS_PATH],
  // Anybody may call the first ones; the last ones log in elsewhere.
  routeLimits: () => [
    ...[
      `GET ${PROVIDERS_PATH}/{code}/login`,
      `GET ${PROVIDERS_PATH}/{code}/callback`,
      `POST ${PROVIDERS_PATH}/token`,
      `POST ${PROVIDERS_PATH}/{code}/link`,
      `POST ${SYNCHRONIZER_PATH}/event_receive/{code}`,
    ].map((route) => ({ route, rate: 20, burst: 40 })),
    ...[
      `POST ${PROVIDERS_PATH}/config_validator`,
      `POST ${SOURCES_PATH}/config_validator`,
      `POST ${SOURCES_PATH}/mapping_preview`,
    ].map((route) => ({ route, rate: 2, burst: 5 })),
  ],
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
      grants: ofSteps,
      untestedGrants: STEPS_UNTESTED,
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
  grants: ofModule,
  untestedGrants: MODULE_UNTESTED,
  fuzz: fuzzHints,
});
