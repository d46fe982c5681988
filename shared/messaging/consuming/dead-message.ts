import { type Clock, toInstant } from '../../primitives/clock.ts';
import { firstCharacters } from '../../store/first-characters.ts';
import { deadSummary } from '../wire/dead-letter.ts';
import type { MessageEnvelope } from '../wire/envelope.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import {
  type DeathOf,
  dataRefOf,
  isBodyMissing,
  type PayloadRef,
  type PayloadStore,
  parseDataRef,
} from '../wire/payload-store.ts';
import {
  type Delivery,
  deadLetterIdOf,
  deadLetterIndexKey,
  keptFacts,
  type TrackingRow,
} from './tracking-row.ts';

/** Why a message is dead, and what there is of it. */
export interface DeathFacts {
  readonly error: KeptError;
  readonly attempts: number;
  readonly envelope: MessageEnvelope | undefined;
  /** The message as the queue holds it. */
  readonly body: string;
  readonly queue: string | undefined;
  /** Whether to list it without its large body when the bucket takes none: it was tried often enough. */
  readonly mayLoseBody: boolean;
}

/** Facts of a message that its dead letter keeps. */
interface Remains {
  readonly envelope: string;
  readonly payloadRef?: PayloadRef;
  /** Bytes of the payload. */
  readonly size: number;
}

/** Most bytes of a message in its row, far below the 400 KB of an item; the bucket holds more. */
const MAX_INLINE_BYTES = 128 * 1_024;
/** Characters of a larger text that its row shows. */
const SHOWN_CHARACTERS = 4_096;

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The attributes of a dead message; its large body is stored where it does not expire. */
export async function deadAttributes(
  delivery: Delivery,
  facts: DeathFacts,
  before: TrackingRow | undefined,
  deps: { readonly payloads: PayloadStore; readonly clock: Clock; readonly deadPartition: string },
): Promise<Readonly<Record<string, unknown>>> {
  const { envelope, error, attempts, queue } = facts;
  const id = deadLetterIdOf(delivery);
  const deadAt = toInstant(deps.clock.now());
  const requeueCount = before?.requeueCount ?? 0;
  const remains = await keep({ id, requeueCount }, facts, deps.payloads);
  const summary = deadSummary({
    ...delivery,
    ...{ id, attempts, deadAt, lastError: error, size: remains.size },
    source: 'consumer',
    listenerGroup: delivery.group,
    requeueCount,
    createdAt: instantIn(envelope?.time) ?? deadAt,
    traceId: envelope?.traceid,
  });
  return {
    type: 'message_tracking',
    status: 'DEAD',
    ...keptFacts(delivery),
    attempts,
    lastError: error,
    envelope: remains.envelope,
    deadAt,
    updatedAt: deadAt,
    createdAt: before?.createdAt ?? deadAt,
    ...deadLetterIndexKey(deps.deadPartition, deadAt, id),
    summary,
    ...(remains.payloadRef ? { payloadRef: remains.payloadRef } : {}),
    ...(queue ? { queue } : {}),
  };
}

/** A foreign time may be in another form, or none at all. */
function instantIn(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : toInstant(ms);
}

async function keep(
  owner: DeathOf,
  facts: Pick<DeathFacts, 'envelope' | 'body' | 'mayLoseBody'>,
  payloads: PayloadStore,
): Promise<Remains> {
  const { envelope, body, mayLoseBody } = facts;
  const store = (text: string) =>
    payloads.storeForDead(owner, text).catch((cause: unknown) => {
      if (mayLoseBody) return undefined;
      throw cause;
    });
  const { data = null, ...head } = envelope ?? {};
  if (!envelope || bytesOf(JSON.stringify(head)) > MAX_INLINE_BYTES) return keepText(body, store);

  const sent = envelope.dataref && parseDataRef(envelope.dataref, envelope.datasha256);
  if (sent) {
    const ref = { ...sent, size: envelope.datasize ?? 0 };
    const payloadRef = await copyBody(ref, owner, payloads, mayLoseBody);
    return { envelope: pointTo(head, payloadRef), payloadRef, size: ref.size };
  }
  const payload = JSON.stringify(data);
  const size = bytesOf(payload);
  const whole = JSON.stringify(envelope);
  if (bytesOf(whole) <= MAX_INLINE_BYTES) return { envelope: whole, size };
  // Whatever becomes of the body: requeue, discard and the order of its key need the head.
  const payloadRef = (await store(payload)) ?? payloads.placeForDead(owner, payload);
  return { envelope: pointTo(head, payloadRef), payloadRef, size };
}

async function keepText(
  text: string,
  store: (text: string) => Promise<PayloadRef | undefined>,
): Promise<Remains> {
  const size = bytesOf(text);
  if (size <= MAX_INLINE_BYTES) return { envelope: text, size };
  const payloadRef = await store(text);
  return { envelope: shown(text), size, ...(payloadRef ? { payloadRef } : {}) };
}

/** A body that is gone keeps no message from being listed: its reference shows that there was one. */
async function copyBody(
  ref: PayloadRef,
  owner: DeathOf,
  payloads: PayloadStore,
  mayLoseBody: boolean,
): Promise<PayloadRef> {
  try {
    return await payloads.keepForDead(ref, owner);
  } catch (cause) {
    if (mayLoseBody || isBodyMissing(cause)) return ref;
    throw cause;
  }
}

const shown = (text: string): string => firstCharacters(text, SHOWN_CHARACTERS);

const pointTo = (head: object, ref: PayloadRef): string =>
  JSON.stringify({ ...head, ...dataRefOf(ref) });
