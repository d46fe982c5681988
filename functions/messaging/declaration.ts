import { mqSection } from '../../shared/config/sections/mq.ts';
import { defineModule } from '../../shared/module/declaration.ts';
import {
  claimsMessages,
  followsRefreshes,
  indexQueries,
  items,
  keepsAnswers,
  objects,
  publishesMessages,
} from '../../shared/module/grants.ts';
import { LARGE_BODIES, ORDERED_HEADS } from '../../shared/module/untested-grants.ts';
import { longestPause } from './domain/relay-pause.ts';
import { relaySchedule } from './domain/relay-schedule.ts';
import { RELAY_TASK, relayStreamFilters, TICK_TASK } from './listeners.ts';

/** Dead letters, dispatch by hand, the relay of the outbox and the listeners of the host. */
export const messaging = defineModule<typeof mqSection>({
  name: 'messaging',
  deliveredAs: 'svc-cloud-mq',
  configuration: mqSection,
  enabled: ({ mq }) => mq.enabled,
  paths: () => ['/broker'],
  privatePaths: () => ['/broker'],
  // A call runs listeners, which nothing bounds but the function's time, and a requeue sends up to 1000 messages.
  routeLimits: ({ mq }) => [
    ...(mq.brokerRestfulEnabled ? [{ route: 'POST /broker/dispatch', rate: 10, burst: 20 }] : []),
    ...(mq.relay.enabled ? [{ route: 'POST /broker/dead-letter/requeue', rate: 2, burst: 5 }] : []),
  ],
  routes: { file: 'routes', factory: 'messagingRoutes' },
  tags: [
    {
      name: 'Dead letters',
      description: 'Messages that could not be sent or processed: list, send again, discard.',
      when: ['mq.relay.enabled'],
    },
    {
      name: 'Dispatch',
      description: 'Delivers a message to the listeners of a topic.',
      when: ['mq.broker-restful-enabled'],
    },
  ],
  runsHostListeners: true,
  uses: [
    {
      port: 'settings.values',
      names: [],
      reason: 'Listeners of the host read settings; their grants come with them.',
    },
  ],
  keyPrefixes: ['received_messages'],
  grants: (config) => [
    indexQueries('gsi1', [`${config.mq.messageTable}#dead`], 'The list of dead letters.'),
    ...publishesMessages(config),
    ...claimsMessages(config, '*'),
    objects(['outbox/dead/'], ['DeleteObject'], 'The body of a dead letter goes with it.'),
    ...keepsAnswers('messaging'),
    followsRefreshes(),
  ],
  untestedGrants: [
    LARGE_BODIES,
    { ...ORDERED_HEADS, mayHappen: true },
    {
      actions: ['s3:DeleteObject'],
      on: ['bucket/outbox/dead/*'],
      reason: 'The copy of a large body goes when its dead letter is requeued or discarded.',
    },
    {
      actions: ['dynamodb:UpdateItem'],
      on: ['table'],
      keys: ['message#*'],
      reason: 'The mark of what a listener of a host published (messaging-host.test.ts).',
    },
    {
      actions: ['events:PutEvents'],
      on: ['bus'],
      reason: 'Listeners of a host may publish (messaging-host.test.ts).',
    },
    {
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      on: ['table'],
      keys: ['received_messages#*'],
      reason: 'Messages dispatched to the listeners of a host (messaging-host.test.ts).',
    },
  ],
  jobs: [
    {
      name: 'relay',
      timeoutSeconds: 60,
      memoryMb: 512,
      enabled: ({ mq }) => mq.relay.enabled,
      relay: {
        schedule: ({ mq }) => relaySchedule(mq.relay.scheduleTrigger),
        longestPauseMs: ({ mq }) => longestPause(mq.relay.scheduleTrigger),
        task: RELAY_TASK,
        tickTask: TICK_TASK,
        streamFilters: relayStreamFilters,
      },
      grants: (config) => [
        indexQueries(
          'gsi1',
          [`${config.mq.messageTable}#due#*`, `${config.mq.messageTable}#dead`],
          'What is due, and how many are dead.',
        ),
        ...publishesMessages(config),
        items(
          [`${config.mq.messageTrackingTable}#*`],
          ['GetItem', 'UpdateItem'],
          'Dead letters of consumer groups are marked as such.',
        ),
        items(
          ['LOCK#messaging#*'],
          ['GetItem', 'UpdateItem'],
          'Runs at the same time share the work by leases.',
        ),
        followsRefreshes(),
      ],
      untestedGrants: [
        LARGE_BODIES,
        ORDERED_HEADS,
        {
          actions: ['dynamodb:GetItem'],
          on: ['table'],
          keys: ['LOCK#messaging#*'],
          reason: 'The end of the last run, which only the trigger FIXED_DELAY asks for.',
        },
        {
          actions: ['dynamodb:PutItem'],
          on: ['table'],
          keys: ['message#*'],
          reason: 'The layout mark of svc.mq.schema-update-enabled (messaging-host.test.ts).',
        },
        {
          actions: ['events:PutEvents'],
          on: ['bus'],
          reason:
            'Messages that their publisher did not send; shown by the runs that kill processes.',
        },
        {
          actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
          on: ['<PlatformRelayFailures284F6F58>'],
          reason: 'Lambda itself uses it, for stream records that it could not hand over.',
        },
      ],
    },
  ],
  fuzz: {
    exceptions: [
      {
        operationIds: ['requeueDeadLetters'],
        check: 'positive_data_acceptance',
        reason: 'No schema can say that a window ends after it begins.',
      },
    ],
  },
});
