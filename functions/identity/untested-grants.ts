import type { UntestedGrant } from '../../shared/module/grants.ts';
import {
  LARGE_BODIES,
  ORDERED_HEADS,
  rareJobMessages,
} from '../../shared/module/untested-grants.ts';
import { EVENT_GROUP, JOB_GROUP } from './listeners.ts';

/** What may happen in the function of the module and in the steps of runs, and no journey sees to. */
const OF_RUNS: readonly UntestedGrant[] = [
  LARGE_BODIES,
  ORDERED_HEADS,
  {
    actions: ['dynamodb:GetItem'],
    on: ['table'],
    keys: ['USEREMAIL#*', 'USERNAME#*'],
    mayHappen: true,
    reason: 'Accounts that have the name or the address of a new user, without a link that tells.',
  },
  {
    actions: ['dynamodb:BatchGetItem'],
    on: ['table'],
    keys: ['USERLINK#*'],
    mayHappen: true,
    reason:
      'Users who are compared alone, and a step that is repeated after an account has changed.',
  },
  {
    actions: ['dynamodb:Query'],
    on: ['table/index/gsi1'],
    keys: ['USERLINK#@alias#*'],
    mayHappen: true,
    reason: 'New users who are compared alone, and logins of somebody without a link.',
  },
];

/** Rights of the steps of runs that no journey uses. */
export const STEPS_UNTESTED: readonly UntestedGrant[] = [
  ...OF_RUNS,
  {
    actions: ['dynamodb:GetItem'],
    on: ['table'],
    keys: ['USERLINK#*'],
    mayHappen: true,
    reason: 'Users that came back under another id, and accounts of other sources.',
  },
  {
    actions: ['s3:AbortMultipartUpload'],
    on: ['bucket/identity/runs/*'],
    reason: 'Comes with the rights on files; those of runs are written whole.',
  },
];

/** Rights of the function of the module that no journey uses. */
export const MODULE_UNTESTED: readonly UntestedGrant[] = [
  ...OF_RUNS,
  ...rareJobMessages(JOB_GROUP),
  {
    actions: ['dynamodb:UpdateItem'],
    on: ['table'],
    keys: [`message_tracking#${JOB_GROUP}#*`],
    mayHappen: true,
    reason: 'Jobs go on by messages only while texts are encrypted anew.',
  },
  {
    of: 'messaging-relay',
    actions: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
    on: [`queue/${EVENT_GROUP}`],
    mayHappen: true,
    reason:
      'A dead message about an event that is requeued, and one that could not be sent at once.',
  },
  {
    actions: ['dynamodb:GetItem'],
    on: ['table'],
    keys: [`message_tracking#${EVENT_GROUP}#*`],
    mayHappen: true,
    reason: 'A message about an event that is delivered again.',
  },
  {
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    on: ['table'],
    keys: [`received_messages#${EVENT_GROUP}#*`],
    mayHappen: true,
    reason: 'Messages about events that an operator dispatches.',
  },
  {
    of: 'messaging',
    actions: ['lambda:InvokeFunction'],
    on: ['function/identity'],
    mayHappen: true,
    reason: 'Messages that an operator dispatches: the function whose listener it is is called.',
  },
  {
    actions: ['dynamodb:PutItem'],
    on: ['table'],
    keys: ['setting#@re-encryption'],
    mayHappen: true,
    reason: 'Texts are encrypted anew only after the key was replaced.',
  },
  {
    actions: ['dynamodb:Query'],
    on: ['table'],
    keys: ['identity_source_event_record#*'],
    mayHappen: true,
    reason: 'Events whose texts are encrypted anew.',
  },
  {
    actions: ['dynamodb:GetItem'],
    on: ['table'],
    keys: ['setting#notify.template.*'],
    reason: 'Only a source with notifyTemplateCode has a text of its own.',
  },
];
