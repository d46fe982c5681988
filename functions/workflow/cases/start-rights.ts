import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { RecordReading } from '../../../shared/ports/records.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { NewCase } from './case-starter.ts';

/** Who may start a case on a business record. */
export class StartRights {
  readonly #records: BoundPort<RecordReading> | undefined;

  /** @param records absent: no record is written either */
  constructor(records: BoundPort<RecordReading> | undefined) {
    this.#records = records;
  }

  /**
   * Refuses who may not edit the record that a case is started on, because its tasks stand for that right from then on.
   * Tasks write no records of types that are not entities of the platform.
   * @throws Problem `RECORD_NOT_FOUND` (404), `FORBIDDEN` (403), `UNAUTHENTICATED` (401)
   */
  async require({ entityType, entityId }: NewCase, principal: Principal): Promise<void> {
    if (entityType === undefined || entityId === undefined || !this.#records?.isOn) return;
    try {
      await this.#records.use().requireEditable(entityType, entityId, principal);
    } catch (error) {
      if (error instanceof Problem && error.code === 'ENTITY_NOT_FOUND') return;
      throw error;
    }
  }
}
