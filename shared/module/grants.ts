import type { PlatformConfig } from '../config/index.ts';

/**
 * Item actions of a function. No Scan and no PartiQL: for the listed actions AWS always supplies the
 * leading key, so the condition on it cannot be evaded.
 */
export type ItemAction =
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';

/** Object actions of a function. */
export type ObjectAction =
  | 'AbortMultipartUpload'
  | 'DeleteObject'
  | 'DeleteObjectVersion'
  | 'GetObject'
  | 'GetObjectVersion'
  | 'PutObject';

/** Rights on executions of a state machine of the module. */
export type ExecutionAction = 'DescribeExecution' | 'StartExecution' | 'StopExecution';

/** Rights on schedules of the module. */
export type ScheduleAction = 'CreateSchedule' | 'DeleteSchedule' | 'GetSchedule' | 'UpdateSchedule';

/** One permission of a function, limited to an action list and to keys: plain data, which `lib` turns into a policy. */
export type Grant =
  | {
      readonly on: 'table';
      readonly index?: 'gsi1' | 'gsi2';
      readonly leadingKeys: readonly string[];
      readonly actions: readonly ItemAction[];
      /** Why the function needs it. */
      readonly reason: string;
    }
  | {
      readonly on: 'bucket';
      readonly keyPrefixes: readonly string[];
      readonly actions: readonly ObjectAction[];
      /** Whether old versions may be listed, so that deletions can remove them. */
      readonly listsVersions?: boolean;
      readonly reason: string;
    }
  | { readonly on: 'bus'; readonly reason: string }
  | {
      readonly on: 'state-machine';
      readonly name: string;
      readonly actions: readonly ExecutionAction[];
      readonly reason: string;
    }
  | {
      readonly on: 'schedules';
      readonly actions: readonly ScheduleAction[];
      readonly reason: string;
    }
  | { readonly on: 'mail'; readonly senders: readonly string[]; readonly reason: string }
  | { readonly on: 'secret'; readonly namePrefixes: readonly string[]; readonly reason: string }
  | { readonly on: 'generated-secret'; readonly name: string; readonly reason: string };

/**
 * Items of the table whose partition key matches one of the patterns (`setting#*`).
 * @param leadingKeys whole keys, or prefixes that end in `*`.
 */
export function items(
  leadingKeys: readonly string[],
  actions: readonly ItemAction[],
  reason: string,
): Grant {
  return { on: 'table', leadingKeys, actions, reason };
}

/** Queries of an index below partition keys that match one of the patterns. */
export function indexQueries(
  index: 'gsi1' | 'gsi2',
  leadingKeys: readonly string[],
  reason: string,
): Grant {
  return { on: 'table', index, leadingKeys, actions: ['Query'], reason };
}

/** Objects of the bucket below the prefixes (`outbox/`). */
export function objects(
  keyPrefixes: readonly string[],
  actions: readonly ObjectAction[],
  reason: string,
): Grant {
  return { on: 'bucket', keyPrefixes, actions, reason };
}

/** Everything that `shared/files` needs below the prefixes, multipart uploads and deletion of versions included. */
export function files(keyPrefixes: readonly string[], reason: string): Grant {
  return {
    on: 'bucket',
    keyPrefixes,
    actions: ['AbortMultipartUpload', 'DeleteObjectVersion', 'GetObject', 'PutObject'],
    listsVersions: true,
    reason,
  };
}

/** Putting events on the platform's bus. */
export function events(reason: string): Grant {
  return { on: 'bus', reason };
}

/** Reading secrets whose name begins with one of the prefixes (`svc-cloud/`). */
export function secrets(namePrefixes: readonly string[], reason: string): Grant {
  return { on: 'secret', namePrefixes, reason };
}

/** Reading a secret that the stack generates for the module. */
export function generatedSecret(name: string, reason: string): Grant {
  return { on: 'generated-secret', name, reason };
}

/** Executions of one of the module's state machines. */
export function executions(
  name: string,
  actions: readonly ExecutionAction[],
  reason: string,
): Grant {
  return { on: 'state-machine', name, actions, reason };
}

/** Schedules of the module's group, each with the group's role and no other. */
export function schedules(actions: readonly ScheduleAction[], reason: string): Grant {
  return { on: 'schedules', actions, reason };
}

/** Sending mail from the named addresses and no other; the stack declares them to SES. */
export function sendsMail(senders: readonly string[], reason: string): Grant {
  return { on: 'mail', senders, reason };
}

/** Publishing: outbox rows, their state, bodies of large messages and the bus. */
export function publishesMessages({ mq }: PlatformConfig): Grant[] {
  return [
    items(
      [`${mq.messageTable}#*`],
      ['GetItem', 'PutItem', 'UpdateItem'],
      'Rows of the outbox, written with what they tell of, and their marks.',
    ),
    objects(
      ['outbox/2', 'outbox/dead/'],
      ['GetObject', 'PutObject'],
      'Bodies of messages that are too large for an event.',
    ),
    events('Messages go to their listeners over the bus.'),
  ];
}

/**
 * Consuming as a group: claiming messages for deduplication, reading large bodies and storing
 * those of dead letters.
 * @param group the consumer group; `*`: any.
 */
export function claimsMessages({ mq }: PlatformConfig, group: string): Grant[] {
  const groupKeys = group === '*' ? '*' : `${group}#*`;
  return [
    items(
      [`${mq.messageTrackingTable}#${groupKeys}`],
      ['GetItem', 'UpdateItem'],
      'A message is claimed before its listener runs, so that it is processed once.',
    ),
    items(
      [`received_messages#${groupKeys}`],
      ['GetItem', 'PutItem'],
      'Messages that are dispatched by hand are claimed under their group.',
    ),
  ];
}

/** Idempotent routes of a module: answers kept by Idempotency-Key. */
export function keepsAnswers(module: string): Grant[] {
  return [
    items([`IDEM#${module}#*`], ['GetItem', 'PutItem'], 'Answers kept by their Idempotency-Key.'),
  ];
}

/** Following refreshed settings: the epoch that warm environments compare. */
export function followsRefreshes(): Grant {
  return items(
    ['setting#@refresh'],
    ['GetItem', 'Query'],
    'Warm environments look whether settings have changed.',
  );
}

/** Reading how far tests have advanced the time of tenants, on the stage local. */
export function readsTenantClock(): Grant {
  return items(['CLOCK#tenants'], ['GetItem'], 'Requests run at the time of their tenant.');
}

/** Reading whose tokens have ended, where the platform's own logins are accepted. */
export function readsRevokedSubjects(): Grant {
  return items(
    ['SESSION#revoked'],
    ['Query'],
    'Tokens of logins are refused once their account is disabled.',
  );
}

/** Permissions of the host's listeners in the functions that run them: items below `HOST#` and the settings. */
export function hostListeners(): Grant[] {
  return [
    items(
      ['HOST#*'],
      ['ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
      'Listeners of the host keep items of its own.',
    ),
    items(['setting#*'], ['GetItem', 'Query'], 'Listeners of the host read settings.'),
    secrets(['svc-cloud/'], 'The AES key of encrypted settings, where a setting names it.'),
  ];
}

/** Permissions that no test uses, and why the function needs them. */
export interface UntestedGrant {
  /** The function that has them, when it is that of another module: one that may reach this module. */
  readonly of?: string;
  /** Actions as AWS names them, such as `s3:GetObject`. */
  readonly actions: readonly string[];
  /**
   * Resources: `table`, `bucket/<prefix>*`, `bus`, `queue/<consumer group>`, `function/<module>`, or `<LogicalId>` of
   * any other in the template.
   */
  readonly on: readonly string[];
  /** Leading keys, for the table. */
  readonly keys?: readonly string[];
  /** Whether a run may happen to use them, such as a sweep that meets something under way. */
  readonly mayHappen?: boolean;
  readonly reason: string;
}
