import { refreshSection } from '../../shared/config/sections/refresh.ts';
import { defineModule } from '../../shared/module/declaration.ts';
import {
  claimsMessages,
  indexQueries,
  items,
  keepsAnswers,
  publishesMessages,
  secrets,
} from '../../shared/module/grants.ts';
import {
  LARGE_BODIES,
  ORDERED_HEADS,
  rareJobMessages,
} from '../../shared/module/untested-grants.ts';
import { RE_ENCRYPTION_PORT, REFRESH_TOPIC, SETTING_JOB_TOPIC } from './events.ts';
import { JOB_GROUP, listeners, REFRESH_GROUP, schedules } from './listeners.ts';

const encryptionKey = [
  items(['setting#security.aes_secret'], ['GetItem'], 'The key of encrypted values.'),
  secrets(['svc-cloud/'], 'The AES key, where the setting names it.'),
];

/** Settings, encryption and refresh; the function also answers for the platform as a whole. */
export const settings = defineModule<typeof refreshSection>({
  name: 'settings',
  deliveredAs: 'svc-cloud-config',
  configuration: refreshSection,
  privatePaths: () => ['/api/v1/setting'],
  paths: ({ security }) => [
    '/api/v1/setting',
    '/api/v1/health',
    '/api/v1/openapi.json',
    '/api/v1/reference',
    ...(security.testClock ? ['/api/v1/clock'] : []),
  ],
  answersUnknownPaths: true,
  routes: { file: 'routes', factory: 'settingsRoutes' },
  tags: [
    { name: 'Platform', description: 'Whether the platform is up, and what it offers.' },
    {
      name: 'Clock',
      description: 'Time of a tenant, for tests on the stage local.',
      when: ['security.test-clock'],
    },
    {
      name: 'Settings',
      description: 'Values by name, with versions, encryption and refresh without a restart.',
    },
  ],
  listeners,
  // Other applications listen to refreshes; a job takes too long for the call that starts it.
  distributedTopics: [REFRESH_TOPIC, SETTING_JOB_TOPIC],
  schedules,
  keyPrefixes: ['setting', 'CLOCK'],
  offers: [
    { name: 'settings.encryption', access: 'read-only', grants: () => encryptionKey },
    {
      name: RE_ENCRYPTION_PORT,
      access: 'transactional',
      tellsUsers: true,
      grants: () => [
        items(
          ['setting#@re-encryption'],
          ['GetItem', 'PutItem'],
          'Walks over cipher texts are taken and reported.',
        ),
      ],
    },
    {
      name: 'settings.values',
      access: 'read-only',
      grants: (_config, names) =>
        names.length === 0
          ? []
          : [
              items(
                names.map((name) => `setting#${name}`),
                ['GetItem'],
                'Settings that are read by name.',
              ),
              ...encryptionKey,
            ],
    },
  ],
  grants: (config) => [
    items(
      ['setting#*'],
      ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'],
      'Settings with their versions and history, and jobs.',
    ),
    items(
      ['setting#*'],
      ['UpdateItem'],
      'The counter of the refresh epoch, the ring of former keys, and cipher texts that get a newer key.',
    ),
    indexQueries(
      'gsi1',
      ['setting', 'setting#deleted'],
      'The lists of settings, and of deleted ones.',
    ),
    ...publishesMessages(config),
    ...claimsMessages(config, REFRESH_GROUP),
    ...claimsMessages(config, JOB_GROUP),
    ...keepsAnswers('settings'),
    secrets(['svc-cloud/'], 'The AES key, where a setting names it.'),
    ...(config.security.testClock
      ? [items(['CLOCK#tenants'], ['UpdateItem'], 'Tests advance the time of a tenant.')]
      : []),
  ],
  untestedGrants: [LARGE_BODIES, ORDERED_HEADS, ...rareJobMessages(JOB_GROUP)],
  fuzz: {
    exceptions: [
      {
        operationIds: ['advanceClock'],
        check: 'positive_data_acceptance',
        reason: 'No schema can say how long a duration is.',
      },
      {
        operationIds: ['getSettingHistory', 'rollbackSetting'],
        check: 'use_after_free',
        reason: 'The history of a deleted setting stays, and rolling back brings the setting back.',
      },
      {
        operationIds: ['getReEncryption', 'cancelReEncryption'],
        check: 'use_after_free',
        reason: 'DELETE stops a job; its state can still be read.',
      },
    ],
  },
});
