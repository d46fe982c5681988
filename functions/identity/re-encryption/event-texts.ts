import type { RenewedTexts } from '../../../shared/re-encryption/renewed-texts.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EventRepository } from '../store/events/event-repository.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SealedTexts } from './sealed-texts.ts';

/** Bodies of events, by source; deleted sources have some until they expire. */
export class EventTexts implements SealedTexts {
  readonly name = 'events';
  readonly #sources: SourceRepository;
  readonly #events: EventRepository;

  constructor(sources: SourceRepository, events: EventRepository) {
    this.#sources = sources;
    this.#events = events;
  }

  async places(after: string | undefined, limit: number): Promise<readonly string[]> {
    const [from = '', past] = after?.split(SEPARATOR) ?? [];
    const ids = (await this.#sources.idsWithEvents()).filter((id) => id >= from).sort();
    const places: string[] = [];
    for (const id of ids) {
      const left = limit - places.length;
      const keys = await this.#events.keysOf(id, id === from ? past : undefined, left);
      places.push(...keys.map((key) => `${id}${SEPARATOR}${key}`));
      if (places.length === limit) break;
    }
    return places;
  }

  async stageRenewed(unit: UnitOfWork, place: string, texts: RenewedTexts): Promise<void> {
    const [sourceId = '', key = ''] = place.split(SEPARATOR);
    const event = await this.#events.at(sourceId, key);
    if (!event) return;
    const payload = await texts.newest(event.payload);
    if (texts.counts.moved > 0) {
      this.#events.stage(unit, { ...event, payload, version: event.version + 1 });
    }
  }
}

/** Neither ids nor digests have it. */
const SEPARATOR = ' ';
