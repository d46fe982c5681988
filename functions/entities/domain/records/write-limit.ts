import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { EntityModel } from '../definitions/model.ts';
import { pointerTo } from '../entity/pointer.ts';
import { countWrites, type WritePlan } from './write-plan.ts';

/** A transaction holds 100 writes, one of them for the kept answer of an idempotent call. */
const MAX_WRITES = 99;
/** Writes that a plan is counted with for its record, counters and history. */
const ALWAYS_COUNTED = 3;

/**
 * Refuses a change of one record that no transaction holds, though its rows are written before or after.
 * @param more writes of its files and large values
 * @throws Problem `VALIDATION_FAILED` (400) that names a field which another change can bring
 */
export function checkWrites(model: EntityModel, plan: WritePlan, more: number): void {
  const { rows, before, after, counters, references } = plan;
  const targets = new Set(references.map(({ entity, id }) => `${entity}#${id}`));
  const { history, events } = model.definition.options;
  const parts = [
    countWrites(plan) - ALWAYS_COUNTED - rows.added.length - rows.removed.length + more,
    1,
    counters.size > 0 ? 1 : 0,
    history ? 1 : 0,
    events === 'none' ? 0 : 1,
    before?.deletedAt === after.deletedAt ? 0 : 1,
    targets.size - references.length,
    // Entries of the journal.
    rows.added.length > 0 ? 1 : 0,
    rows.removed.length > 0 ? 2 : 0,
  ];
  const writes = parts.reduce((sum, part) => sum + part, 0);
  if (writes <= MAX_WRITES) return;
  const detail = `is too much for one change with the other files, references, unique values and long texts of the record: it needs ${writes} writes, at most ${MAX_WRITES} are possible; send some of them with a second change`;
  const pointer = pointerTo(fieldToLeaveOut(model, plan));
  throw httpProblems.validationFailed([{ pointer, code: 'TOO_MANY', detail }]);
}

/** A field whose change adds writes: the last file, else a reference, else a unique value. */
function fieldToLeaveOut(
  { definition }: EntityModel,
  { before, after, references, claims }: WritePlan,
): string {
  const changed = definition.fields.findLast(
    ({ code, file }) => file !== undefined && before?.values[code] !== after.values[code],
  );
  return changed?.code ?? references.at(-1)?.field ?? claims.added.at(-1)?.fields[0] ?? '';
}
