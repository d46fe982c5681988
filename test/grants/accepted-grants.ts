import type { AcceptedGrant } from '../helpers/grants/check-calls-against-policies.ts';

interface Acceptance {
  readonly modules: readonly string[];
  readonly actions: readonly string[];
  readonly resources: readonly (readonly [resource: string, leadingKey?: string])[];
  readonly reason: string;
}

const publishers = ['settings', 'entities', 'messaging', 'messaging-relay'];
const bodies = [['bucket/outbox/2*'], ['bucket/outbox/dead/*']] as const;

const acceptances: readonly Acceptance[] = [
  {
    modules: publishers,
    actions: ['s3:GetObject', 's3:PutObject'],
    resources: bodies,
    reason:
      'Bodies of large messages; shown by the journeys of a host with its own platform (messaging-host.test.ts).',
  },
  {
    modules: ['messaging'],
    actions: ['s3:DeleteObject'],
    resources: [['bucket/outbox/dead/*']],
    reason: 'The copy of a large body goes when its dead letter is requeued or discarded.',
  },
  {
    modules: publishers.filter((module) => module !== 'messaging'),
    actions: ['dynamodb:GetItem'],
    resources: [['table', 'message#*']],
    reason: 'Heads of ordered topics; only a host declares one (messaging-host.test.ts).',
  },
  {
    modules: ['messaging'],
    actions: ['dynamodb:UpdateItem'],
    resources: [['table', 'message#*']],
    reason: 'The mark of what a listener of a host published (messaging-host.test.ts).',
  },
  {
    modules: ['entities'],
    actions: ['dynamodb:GetItem'],
    resources: [['table', 'message_tracking#svc-cloud-dynamic#*']],
    reason: 'A message of a job that is delivered again.',
  },
  {
    modules: ['entities'],
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    resources: [['table', 'received_messages#svc-cloud-dynamic#*']],
    reason: 'A job that an operator wakes by POST /broker/dispatch.',
  },
  {
    modules: ['messaging'],
    actions: ['lambda:InvokeFunction'],
    resources: [['<PlatformentitiesFunction6CA82C15>']],
    reason: 'The same: dispatch calls the function whose listener it is.',
  },
  {
    modules: ['messaging-relay'],
    actions: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
    resources: [['arn:aws:sqs:*:*:svc-cloud-local-ae684b40--svc-cloud-dynamic']],
    reason: 'A dead job message that is requeued goes straight to the queue of its group.',
  },
  {
    modules: ['messaging'],
    actions: ['events:PutEvents'],
    resources: [['bus']],
    reason: 'Listeners of a host may publish (messaging-host.test.ts).',
  },
  {
    modules: ['messaging'],
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    resources: [['table', 'received_messages#*']],
    reason: 'Messages dispatched to the listeners of a host (messaging-host.test.ts).',
  },
  {
    modules: ['messaging-relay'],
    actions: ['dynamodb:GetItem'],
    resources: [['table', 'LOCK#messaging#*']],
    reason: 'The end of the last run, which only the trigger FIXED_DELAY asks for.',
  },
  {
    modules: ['messaging-relay'],
    actions: ['dynamodb:PutItem'],
    resources: [['table', 'message#*']],
    reason: 'The layout mark of svc.mq.schema-update-enabled (messaging-host.test.ts).',
  },
  {
    modules: ['messaging-relay'],
    actions: ['events:PutEvents'],
    resources: [['bus']],
    reason: 'Messages that their publisher did not send; shown by the runs that kill processes.',
  },
  {
    modules: ['messaging-relay'],
    actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
    resources: [['<PlatformRelayFailures284F6F58>']],
    reason: 'Lambda itself uses it, for stream records that it could not hand over.',
  },
];

/** Grants that no journey can use, each with the reason why the function needs it all the same. */
export const acceptedGrants: readonly AcceptedGrant[] = acceptances.flatMap(
  ({ modules, actions, resources, reason }) =>
    modules.flatMap((module) =>
      actions.flatMap((action) =>
        resources.map(([resource, leadingKey]) => ({
          ...{ module, action, resource, reason },
          ...(leadingKey === undefined ? {} : { leadingKey }),
        })),
      ),
    ),
);
