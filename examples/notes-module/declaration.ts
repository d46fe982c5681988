import {
  claimsMessages,
  defineModule,
  followsRefreshes,
  items,
  keepsAnswers,
  publishesMessages,
} from '../../shared/module/index.ts';
import { notesSection } from './configuration.ts';
import { COUNTER_GROUP, listeners } from './listeners.ts';

/** Notes of users: a module of an application that uses the platform. */
export const notes = defineModule<typeof notesSection>({
  name: 'notes',
  deliveredAs: 'svc-cloud-notes',
  folder: import.meta.dirname,
  configuration: notesSection,
  paths: () => ['/api/v1/notes'],
  routes: { file: 'routes', factory: 'notesRoutes' },
  tags: [{ name: 'Notes', description: 'Short texts, and how many each author has written.' }],
  listeners,
  keyPrefixes: ['NOTE'],
  uses: [
    { port: 'entities.records', reason: 'A note may be about a record that its author sees.' },
    { port: 'entities.record-writes', reason: 'A note may change the record that it is about.' },
  ],
  memoryMb: 512,
  grants: (config) => [
    items(['NOTE#*'], ['GetItem', 'PutItem', 'UpdateItem'], 'Notes, and the counts of authors.'),
    ...publishesMessages(config),
    ...claimsMessages(config, COUNTER_GROUP),
    ...keepsAnswers('notes'),
    followsRefreshes(),
  ],
  untestedGrants: [
    {
      actions: ['dynamodb:BatchWriteItem', 'dynamodb:ConditionCheckItem', 'dynamodb:UpdateItem'],
      on: ['table'],
      keys: ['DYN_*'],
      reason:
        'Records that are counted, refer to others or have very many fields; shown by the journeys of entities.',
    },
    {
      actions: ['s3:GetObject'],
      on: ['bucket/entities/attachments/*'],
      reason: 'Files of records; a note changes none that has some.',
    },
    {
      actions: ['s3:PutObject'],
      on: ['bucket/entities/values/*'],
      reason: 'Large values of records; a note changes small ones only.',
    },
    {
      actions: ['s3:GetObject', 's3:PutObject'],
      on: ['bucket/outbox/2*', 'bucket/outbox/dead/*'],
      reason: 'Publishing needs them for large messages; those of notes are small.',
    },
    {
      actions: ['dynamodb:GetItem'],
      on: ['table'],
      keys: ['message#*'],
      reason: 'Publishing needs it for ordered topics; notes have none.',
    },
    {
      actions: ['dynamodb:GetItem'],
      on: ['table'],
      keys: [`message_tracking#${COUNTER_GROUP}#*`],
      reason: 'A message that is delivered again.',
    },
    {
      of: 'messaging-relay',
      actions: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
      on: [`queue/${COUNTER_GROUP}`],
      reason: 'A dead message of the group that is sent again.',
    },
  ],
  fuzz: {
    targetedOperations: ['getNote'],
    async prepare(post) {
      const { id } = (await post('/api/v1/notes', { text: 'A note for the fuzzer' })) as {
        readonly id: string;
      };
      return [{ parameter: 'noteId', operationIds: ['getNote'], values: [id] }];
    },
  },
});
