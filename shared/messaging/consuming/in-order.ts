import type { Clock } from '../../primitives/clock.ts';
import type { IdGenerator } from '../../primitives/ids.ts';
import type { Log } from '../../primitives/log.ts';
import { requestContext } from '../../primitives/request-context.ts';
import type { ItemWriter } from '../../store/item-writer.ts';
import { type Lanes, type Place, placeOf } from '../outbox/lanes.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { MAX_RAW_BYTES } from '../outbox/outbox-row.ts';
import { envelopeText, type MessageEnvelope } from '../wire/envelope.ts';
import { dataRefOf, type PayloadStore } from '../wire/payload-store.ts';
import { type QueueMessage, returned } from '../wire/queues.ts';
import type { Consumer } from './consumer.ts';
import type { Listener } from './listener.ts';
import type { Arrival, Verdict } from './settlement.ts';

export interface InOrderDependencies {
  readonly consumer: Consumer;
  readonly outbox: Outbox;
  readonly lanes: Lanes;
  readonly writer: ItemWriter;
  readonly payloads: PayloadStore;
  readonly isRelayEnabled: boolean;
  readonly appCode: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** Between looks whether a turn has come; a FIFO queue gives up after 1000 of them. */
const WAITING_MS = 30 * 60_000;

/** `parked`: the outbox has it until its turn; the queue is done with it. */
export type OrderedVerdict = Verdict | { readonly kind: 'parked' };

/** Whether the turn of a message has come; `undefined`: it has no order. */
export type Turn = { readonly place: Place; readonly isEarly: boolean } | undefined;

/**
 * Keeps the order of keys in a group, whatever the queue does to it. A message runs when its group is done with the one
 * before it; until then the outbox keeps it, because queues forget what waits for long. The lane of a key moves on
 * after the message, before the queue entry is deleted: a process that dies in between finds a message that is done already.
 */
export class InOrder {
  readonly #deps: InOrderDependencies;

  constructor(dependencies: InOrderDependencies) {
    this.#deps = dependencies;
  }

  /** Passes a message to its listener in its turn. Never throws. */
  async consume(
    listener: Listener,
    arrival: Arrival,
    options: { readonly suspect?: boolean } = {},
  ): Promise<OrderedVerdict> {
    const { envelope } = arrival;
    try {
      const turn = await this.turnOf(envelope, listener.group);
      if (turn?.isEarly && this.#deps.isRelayEnabled) {
        await this.park(turn.place, arrival);
        return { kind: 'parked' };
      }
      const verdict = turn?.isEarly
        ? await this.#waitInQueue(listener, arrival)
        : await this.#deps.consumer.consume(listener, arrival, options);
      if (turn && verdict.kind === 'done')
        await this.#moveOn(turn.place, verdict, listener, arrival);
      return verdict;
    } catch (cause) {
      this.#deps.log.error('The order of a message could not be kept; it will be redelivered', {
        topic: envelope.type,
        group: listener.group,
        messageId: envelope.id,
        cause,
      });
      return { kind: 'again' };
    }
  }

  /** Without a relay nobody would bring a message back from the outbox. */
  async #waitInQueue(listener: Listener, arrival: Arrival): Promise<Verdict> {
    const expired = await this.#deps.consumer.expire(listener, arrival);
    return expired ?? { kind: 'again', retryMs: WAITING_MS, isWaiting: true };
  }

  async turnOf(envelope: MessageEnvelope, group: string): Promise<Turn> {
    const place = placeOf(envelope, group);
    return place && { place, isEarly: (await this.#deps.lanes.done(place)) < place.after };
  }

  /** Keeps a message in the outbox until its turn comes. */
  async park(place: Place, { envelope, body: received, queue }: Arrival): Promise<void> {
    const { outbox, writer, appCode, clock, ids, log } = this.#deps;
    const { group, topic, key, sequence, after, onDead } = place;
    const id = ids();
    const now = clock.now();
    const toText = (body: string) =>
      JSON.stringify({ queue, body, attributes: returned(0) } satisfies QueueMessage);
    const isLarge = Buffer.byteLength(toText(received)) > MAX_RAW_BYTES;
    const body = isLarge ? await this.#withoutData(id, envelope, now) : received;
    const row = outbox.draw({
      ...{ id, messageId: envelope.id, topic, key, kind: 'async', dest: 'sqs', group },
      ...(onDead ? { onDead } : {}),
      ...{ sequence, after, raw: toText(body), headers: {}, appCode },
      traceId: envelope.traceid ?? requestContext().traceId,
      size: Buffer.byteLength(body),
      ...{ createdAtMs: now, dueMs: now },
    });
    await writer.put(row, { expression: 'attribute_not_exists(pk)' });
    log.info('A message waits for the one before it', { topic, group, messageId: envelope.id });
  }

  /** The envelope with its data in the bucket. In a row the quotes of a message count twice, which may be too many. */
  async #withoutData(id: string, envelope: MessageEnvelope, now: number): Promise<string> {
    const { data = null, ...head } = envelope;
    if (head.dataref !== undefined) return envelopeText(envelope);
    const ref = await this.#deps.payloads.store(id, now, JSON.stringify(data));
    return envelopeText({ ...head, ...dataRefOf(ref) });
  }

  /** Lets a key go on after a message, unless that is dead and the topic waits for dead ones. */
  async end(place: Place, { isDead }: { readonly isDead: boolean }): Promise<void> {
    const { outbox, lanes } = this.#deps;
    if (!isDead || outbox.order.passesDead(place)) await lanes.moveTo(place);
    else await lanes.hold(place);
  }

  async #moveOn(
    place: Place,
    { outcome }: Extract<Verdict, { kind: 'done' }>,
    listener: Listener,
    { envelope }: Arrival,
  ): Promise<void> {
    const { outbox, consumer } = this.#deps;
    const mayBeHeld = outcome === 'Duplicate' && !outbox.order.passesDead(place);
    const isHeld = mayBeHeld && (await consumer.isDead(listener, envelope));
    await this.end(place, { isDead: outcome === 'Dead' || isHeld });
  }
}
