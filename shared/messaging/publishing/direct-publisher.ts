import type { Clock } from '../../primitives/clock.ts';
import type { IdGenerator } from '../../primitives/ids.ts';
import type { Log } from '../../primitives/log.ts';
import { timeLimit } from '../../primitives/time-limit.ts';
import { currentUnitOfWork } from '../../store/unit-of-work.ts';
import { type OutboxRow, outboxKeys, toRow } from '../outbox/outbox-row.ts';
import { type MessageSender, SEND_TIMED_OUT } from '../outbox/sender.ts';
import type { AnsweringTime } from '../wire/answering-time.ts';
import type { EventPublisher, PublishResult } from '../wire/event-publisher.ts';
import { checkMessage } from '../wire/message-draft.ts';
import type { BackgroundWork } from './background-work.ts';

export interface DirectPublisherDependencies {
  readonly sender: MessageSender;
  readonly sendingTime: AnsweringTime;
  readonly background: Pick<BackgroundWork, 'hold'>;
  readonly appCode: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/**
 * Sends messages to the bus after the commit, at most once and without an outbox: for notices that may be lost. A
 * failure is logged and returned in the result; the caller does not fail.
 */
export function createDirectPublisher(dependencies: DirectPublisherDependencies): EventPublisher {
  const publish: EventPublisher['publish'] = async (topic, key, payload, headers) => {
    const row = draft(topic, key, payload, headers, dependencies);
    const unit = currentUnitOfWork();
    if (!unit) {
      const sending = send(row, dependencies);
      dependencies.background.hold(sending);
      return { messageId: row.id, status: await sending };
    }
    unit.afterCommit(async () => void (await send(row, dependencies)));
    return { messageId: row.id, status: 'PENDING' };
  };
  return {
    publish,
    asyncPublish: async (topic, payload) => void (await publish(topic, null, payload)),
  };
}

function draft(
  topic: string,
  key: string | null,
  payload: unknown,
  headers: Readonly<Record<string, string>> | undefined,
  { appCode, clock, ids }: DirectPublisherDependencies,
): OutboxRow {
  const message = checkMessage(topic, key, payload, headers);
  const id = ids();
  const now = clock.now();
  return toRow(
    {
      ...message,
      id,
      messageId: id,
      kind: 'sync',
      dest: 'eventbridge',
      appCode,
      size: Buffer.byteLength(message.payload),
      createdAtMs: now,
      dueMs: now,
    },
    outboxKeys('none', 1),
  );
}

async function send(
  row: OutboxRow,
  { sender, sendingTime, log }: DirectPublisherDependencies,
): Promise<PublishResult['status']> {
  const limit = timeLimit(sendingTime.left());
  const outcome = (await sender.send([row], limit.signal)).get(row.id);
  limit.end();
  if (outcome?.kind === 'sent') return 'SENT';
  if (outcome?.kind === 'failed' && outcome.error.code === SEND_TIMED_OUT) sendingTime.missed();
  log.error('A notice could not be sent to the bus', {
    topic: row.topic,
    messageId: row.messageId,
    ...(outcome?.kind === 'failed' ? outcome.error : { code: 'LATER' }),
  });
  return 'PENDING';
}
