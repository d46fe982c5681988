import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../../shared/store/paged-read.ts';
import { readAll } from '../../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { EventRecord } from '../../domain/events/event-record.ts';
import { eventKeyOf, eventPartition, eventsPartition, PENDING_PARTITION } from './event-keys.ts';

interface EventItem extends Item {
  readonly event: EventRecord;
}

const KEPT_S = 30 * 86_400;

/** Stored events of sources. */
export class EventRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async find(sourceId: string, eventKey: string): Promise<EventRecord | undefined> {
    return (await this.#table.get<EventItem>(eventKeyOf(sourceId, eventKey)))?.event;
  }

  /** An event by its key among those of its source. */
  async at(sourceId: string, key: string): Promise<EventRecord | undefined> {
    return (await this.#table.get<EventItem>({ pk: eventPartition(sourceId), sk: key }))?.event;
  }

  /** Keys of events of a source after one, in their order. */
  async keysOf(
    sourceId: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly string[]> {
    const partition = eventPartition(sourceId);
    const startKey = after === undefined ? undefined : { pk: partition, sk: after };
    return (await readAll(this.#table, { partition, startKey }, limit)).map(({ sk }) => sk);
  }

  /** Stages an event that is not known yet. */
  stageNew(unit: UnitOfWork, event: EventRecord): void {
    unit.put(eventItem(event), { condition: notExists, otherwise: 'retry' });
  }

  /** Stages the next version of an event; whoever has changed it meanwhile wins, and the unit runs again. */
  stage(unit: UnitOfWork, event: EventRecord): void {
    unit.put(eventItem(event), { condition: versionIs(event.version - 1), otherwise: 'retry' });
  }

  /** Events of a source, the newest first. */
  async page(
    sourceId: string,
    status: EventRecord['status'] | undefined,
    request: PageRequest,
  ): Promise<ReadPage<EventRecord>> {
    const query = {
      ...{ index: 'gsi1' as const, partition: eventsPartition(sourceId), reverse: true },
      ...(status && {
        filter: {
          expression: '#summary.#status = :status',
          names: { '#summary': 'summary', '#status': 'status' },
          values: { ':status': status },
        },
      }),
    };
    const page = await readPage<Item>(this.#table, query, request, { sourceId, status });
    return { ...page, content: await this.#behind(page.content) };
  }

  /** Events to be applied, the oldest first. */
  async pending(limit: number): Promise<readonly EventRecord[]> {
    const { items } = await this.#table.query({
      ...{ index: 'gsi2', partition: PENDING_PARTITION, limit },
    });
    const events = await this.#behind(items);
    return events.filter(({ status }) => status === 'PENDING');
  }

  async #behind(items: readonly Item[]): Promise<readonly EventRecord[]> {
    const found = await this.#table.getMany<EventItem>(items.map(({ pk, sk }) => ({ pk, sk })));
    return found.map(({ event }) => event);
  }
}

function eventItem(event: EventRecord) {
  const { identitySourceId, eventKey, receiveTime, id, status } = event;
  const place = `${receiveTime}#${id}`;
  return {
    ...eventKeyOf(identitySourceId, eventKey),
    ...{ gsi1pk: eventsPartition(identitySourceId), gsi1sk: place },
    ...(status === 'PENDING' && { gsi2pk: PENDING_PARTITION, gsi2sk: place }),
    type: 'identity_source_event_record',
    version: event.version,
    ttl: Math.ceil(Date.parse(receiveTime) / 1_000) + KEPT_S,
    summary: { status },
    event,
  };
}
