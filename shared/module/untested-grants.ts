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
