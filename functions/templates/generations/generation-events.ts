import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import type { Generation } from '../domain/documents/generation.ts';
import type { GenerationEvent } from '../events.ts';
import { GENERATION_TOPICS } from '../events.ts';

/** Tells of generations; part of the unit that changes them. */
export class GenerationEvents {
  readonly #events: Pick<EventPublisher, 'publish'>;

  constructor({ events }: { readonly events: Pick<EventPublisher, 'publish'> }) {
    this.#events = events;
  }

  async send(
    what: keyof typeof GENERATION_TOPICS,
    generation: Generation,
    actor: string,
  ): Promise<void> {
    const { id, templateId, templateCode, entityType, entityId, format, output } = generation;
    const payload: GenerationEvent = {
      ...{ templateId, templateCode, generationId: id, format, actor },
      entityType: entityType ?? null,
      entityId: entityId ?? null,
      outputHash: output?.hash ?? null,
      failure: what === 'failed' ? (generation.failure?.code ?? null) : null,
    };
    await this.#events.publish(GENERATION_TOPICS[what], id, payload);
  }
}
