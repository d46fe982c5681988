import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { FieldChange } from '../domain/schema/compare.ts';
import { DEFINITION_TOPIC, type DefinitionEvent } from '../events.ts';

/** Publishes changes of definitions, with a menu entry for the records. */
export class DefinitionPublisher {
  readonly #events: EventPublisher;
  readonly #access: EntityAccess;

  constructor({ events, access }: { events: EventPublisher; access: EntityAccess }) {
    this.#events = events;
    this.#access = access;
  }

  /** Publishes a change; inside a unit of work it is sent after the commit. */
  async publish(
    action: DefinitionEvent['action'],
    definition: EntityDefinition,
    changes: readonly FieldChange[] = [],
  ): Promise<void> {
    const { code, name, apiPath, requireAuth, requirePermission, hierarchical, schemaVersion } =
      definition;
    const payload: DefinitionEvent = {
      action,
      entity: { code, name, apiPath, requireAuth, requirePermission, hierarchical, schemaVersion },
      menu: {
        key: code,
        title: name,
        path: `/${apiPath}`,
        order: 0,
        icon: null,
        permission: `${this.#access.targetOf(definition)}:view`,
      },
      changes,
    };
    await this.#events.publish(DEFINITION_TOPIC, code, payload);
  }
}
