import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { withoutReferences } from '../domain/records/change.ts';
import type { RecordRepository } from '../store/record-repository.ts';

/** A record that comes back without the references that the deletion of their target would have cleared meanwhile. */
export async function withoutPastReferences(
  repository: RecordRepository,
  model: EntityModel,
  header: RecordHeader,
): Promise<RecordHeader> {
  let { values } = header;
  for (const { code, reference } of model.definition.fields) {
    const value = values[code];
    if (reference?.onDelete !== 'setNull' || value === undefined) continue;
    const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
    const targets = await repository.findHeaders(reference.entity, ids, true);
    const gone = new Set<unknown>(ids.filter((id) => !isLive(targets.get(id))));
    if (gone.size > 0) values = withoutReferences(values, code, (id) => gone.has(id));
  }
  return { ...header, values };
}

const isLive = (header: RecordHeader | undefined): boolean =>
  header !== undefined && header.deletedAt === undefined;
