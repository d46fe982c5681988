import type { PlatformConfig } from '../../shared/config/index.ts';
import { defineModule } from '../../shared/module/declaration.ts';
import {
  claimsMessages,
  files,
  followsRefreshes,
  type Grant,
  items,
  keepsAnswers,
  objects,
  publishesMessages,
} from '../../shared/module/grants.ts';
import {
  LARGE_BODIES,
  ORDERED_HEADS,
  rareJobMessages,
} from '../../shared/module/untested-grants.ts';
import { dynamicSection } from './configuration.ts';
import { DEFINITION_TOPIC, JOB_TOPIC } from './events.ts';
import { fuzzHints } from './fuzz.ts';
import { JOB_GROUP, listeners, schedules } from './listeners.ts';

const ENCRYPTION = { port: 'settings.encryption', reason: 'Encrypted fields.' };

/** Grants of the module and of ports that write records. */
const writesRecords = (config: PlatformConfig): Grant[] => [
  items(
    ['DYN_*'],
    [
      'BatchGetItem',
      'BatchWriteItem',
      'ConditionCheckItem',
      'DeleteItem',
      'GetItem',
      'PutItem',
      'Query',
      'UpdateItem',
    ],
    'Definitions, records, their rows, history and jobs.',
  ),
  objects(['entities/values/'], ['GetObject', 'PutObject'], 'Large values of records.'),
  objects(['entities/attachments/'], ['GetObject'], 'Files that records name.'),
  ...publishesMessages(config),
];

export const entities = defineModule<typeof dynamicSection>({
  name: 'entities',
  deliveredAs: 'svc-cloud-dynamic',
  configuration: dynamicSection,
  enabled: ({ dynamic }) => dynamic.enabled,
  paths: ({ dynamic }) => ['/api/v1/entity-definitions', `${dynamic.apiPrefix}/dynamic`],
  // Records are also served by the apiPath of their entity: {api-prefix}/{apiPath}.
  fallbackPaths: ({ dynamic }) => [dynamic.apiPrefix],
  routes: { file: 'api/routes', factory: 'entitiesRoutes' },
  tags: [
    { name: 'Entity definitions', description: 'Declares entities by their form schemas.' },
    {
      name: 'Records',
      description:
        'Stores, finds and counts the records of every entity. The same operations answer below the prefix and the apiPath of an entity.',
    },
  ],
  listeners,
  // A job takes too long for the call that starts it.
  distributedTopics: [JOB_TOPIC],
  inProcessTopics: [DEFINITION_TOPIC],
  schedules,
  // Exports are downloaded once; uploads are needed only until they are imported, and what dry runs keep until they end.
  expiringFiles: { 'entities/exports/': 7, 'entities/imports/': 7, 'entities/rehearsals/': 7 },
  keyPrefixes: ['DYN_*'],
  uses: [
    ENCRYPTION,
    { port: 'settings.re-encryption', reason: 'Encrypted fields are given newer keys.' },
    {
      port: 'settings.values',
      names: [],
      reason: 'Listeners of the host read settings; their grants come with them.',
    },
  ],
  offers: [
    {
      name: 'entities.records',
      access: 'read-only',
      uses: [ENCRYPTION],
      grants: () => [
        items(['DYN_*'], ['BatchGetItem', 'GetItem', 'Query'], 'Definitions, records and rows.'),
        objects(['entities/values/'], ['GetObject'], 'Large values of records.'),
      ],
    },
    {
      name: 'entities.record-writes',
      access: 'transactional',
      uses: [ENCRYPTION],
      grants: writesRecords,
    },
    {
      name: 'entities.record-merges',
      access: 'transactional',
      uses: [ENCRYPTION],
      grants: writesRecords,
    },
  ],
  grants: (config) => [
    ...writesRecords(config),
    files(['entities/'], 'Exports and imports, and large values of records that go.'),
    followsRefreshes(),
    ...claimsMessages(config, JOB_GROUP),
    ...keepsAnswers('entities'),
  ],
  untestedGrants: [
    LARGE_BODIES,
    ORDERED_HEADS,
    {
      actions: ['s3:GetObject'],
      on: ['bucket/entities/attachments/*'],
      mayHappen: true,
      reason: 'Comes with the port of records, beside the grant for all files of the module.',
    },
    {
      actions: ['s3:AbortMultipartUpload'],
      on: ['bucket/entities/*'],
      reason: 'An export that is cancelled or too large discards its parts.',
    },
    ...rareJobMessages(JOB_GROUP),
    {
      of: 'messaging',
      actions: ['lambda:InvokeFunction'],
      on: ['function/entities'],
      reason: 'A job that an operator wakes: dispatch calls the function whose listener it is.',
    },
  ],
  fuzz: fuzzHints,
});
