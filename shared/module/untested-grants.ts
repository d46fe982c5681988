import type { UntestedGrant } from './grants.ts';

/** For functions that publish, where no test publishes a large message. */
export const LARGE_BODIES: UntestedGrant = {
  actions: ['s3:GetObject', 's3:PutObject'],
  on: ['bucket/outbox/2*', 'bucket/outbox/dead/*'],
  reason:
    'Bodies of large messages; shown by the journeys of a host with its own platform (messaging-host.test.ts).',
};

/** For functions that publish, where no test publishes in order. */
export const ORDERED_HEADS: UntestedGrant = {
  actions: ['dynamodb:GetItem'],
  on: ['table'],
  keys: ['message#*'],
  reason: 'Heads of ordered topics; only a host declares one (messaging-host.test.ts).',
};

/** For functions that run jobs: what only an interrupted, woken or requeued message of a job needs. */
export function rareJobMessages(group: string): readonly UntestedGrant[] {
  return [
    {
      actions: ['dynamodb:GetItem'],
      on: ['table'],
      keys: [`message_tracking#${group}#*`],
      reason: 'A message of a job that is delivered again.',
    },
    {
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      on: ['table'],
      keys: [`received_messages#${group}#*`],
      reason: 'A job that an operator wakes by POST /broker/dispatch.',
    },
    {
      of: 'messaging-relay',
      actions: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
      on: [`queue/${group}`],
      reason: 'A dead job message that is requeued goes straight to the queue of its group.',
    },
  ];
}
