import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { MergedRecord, RecordMerging } from '../../../shared/ports/records.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import type { Completion } from '../domain/tasks/completion.ts';
import { problems } from '../errors.ts';

/** What of a completion the case or process keeps. */
type KeptValues = Pick<Completion, 'formData' | 'variables' | 'localVariables'>;

/** What a form has led to. */
export interface EnteredForm {
  /** Writes that the business record takes of the transaction, about. */
  readonly writes: number;
  /** All that was given but the secrets of the record. */
  readonly kept: KeptValues;
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
    task: TaskRecord,
    { formData, variables, localVariables }: KeptValues,
    principal: Principal,
  ): Promise<EnteredForm> {
    const beside = { ...variables, ...localVariables };
    const secret = this.#records?.isOn ? await this.secretsIn(task, beside) : [];
    const merged = await this.#merge(task, formData, principal);
    return {
      writes: merged?.writes ?? 0,
      kept: {
        formData: formData && without(formData, merged?.secret ?? []),
        variables: variables && without(variables, secret),
        localVariables: localVariables && without(localVariables, secret),
      },
    };
  }

  /** @returns `undefined`: nothing enters a record */
  async #merge(
    { entityType, entityId }: TaskRecord,
    formData: Variables | undefined,
    principal: Principal,
  ): Promise<MergedRecord | undefined> {
    if (!this.#records || !formData || Object.keys(formData).length === 0) return undefined;
    if (entityType === undefined || entityId === undefined) return undefined;
    const options = { pointer: '/formData', room: ROOM };
    try {
      const merging = this.#records.use();
      return await merging.merge(entityType, entityId, formData, principal, options);
    } catch (error) {
      const isGone = error instanceof Problem && error.code === 'RECORD_NOT_FOUND';
      throw isGone ? problems.businessRecordGone({ entityType, entityId }) : error;
    }
  }
}

/** Values but for those with one of the names. */
export const without = (values: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

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
