import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { RecordMerging } from '../../../shared/ports/records.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';

/** What a form has led to. */
export interface EnteredForm {
  /** Writes that the business record takes of the transaction, about. */
  readonly writes: number;
  /** What of the form the case keeps: all but the secrets of the record. */
  readonly kept: Variables | undefined;
}

/** Writes of the transaction that are left to the record; the case needs the others. */
const ROOM = 45;
/** Attempts of work whose entity is defined anew meanwhile. */
const MAX_TRIES = 3;

/** Enters what forms of tasks hold into the business records of their cases. */
export class FormEntry {
  readonly #records: BoundPort<RecordMerging> | undefined;

  /** @param records absent: forms stay in their cases */
  constructor(records: BoundPort<RecordMerging> | undefined) {
    this.#records = records;
  }

  /**
   * Fields of a form whose values are not kept for later: those that the record encrypts or never shows.
   * @throws Problem `MODULE_OFF` (422)
   */
  async secretsIn(
    { entityType }: Pick<TaskRecord, 'entityType'>,
    formData: Variables,
  ): Promise<readonly string[]> {
    const names = Object.keys(formData);
    if (!this.#records || names.length === 0 || entityType === undefined) return [];
    return (await this.#records.use().secretFields(entityType, names)) ?? [];
  }

  /**
   * Stages the fields of the record that the form holds, in the unit around it. What is of no entity of the platform is
   * no record, and its form stays in the case.
   * @throws Problem `BUSINESS_RECORD_GONE` (409), `MODULE_OFF` (422), or why the record refuses it
   */
  async enter(
    { entityType, entityId }: TaskRecord,
    formData: Variables | undefined,
    principal: Principal,
  ): Promise<EnteredForm> {
    const kept = { writes: 0, kept: formData };
    if (!this.#records || !formData || Object.keys(formData).length === 0) return kept;
    if (entityType === undefined || entityId === undefined) return kept;
    const options = { pointer: '/formData', room: ROOM };
    try {
      const merging = this.#records.use();
      const merged = await merging.merge(entityType, entityId, formData, principal, options);
      if (!merged) return kept;
      const { writes, secret } = merged;
      const open = Object.entries(formData).filter(([name]) => !secret.includes(name));
      return { writes, kept: Object.fromEntries(open) };
    } catch (error) {
      const isGone = error instanceof Problem && error.code === 'RECORD_NOT_FOUND';
      throw isGone ? problems.businessRecordGone({ entityType, entityId }) : error;
    }
  }
}

/** Repeats a completion that an entity with a new definition has refused at its commit. */
export async function withNewestDefinition<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isStale = error instanceof Problem && error.code === 'DEFINITION_CHANGED';
      if (!isStale || attempt === MAX_TRIES) throw error;
    }
  }
}
