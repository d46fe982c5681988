import type { EntityModel } from '../definitions/model.ts';
import type { RecordHeader } from '../entity/record.ts';
import { uniqueClaims } from '../records/index-rows.ts';
import { referencesOf } from '../records/write-plan.ts';

/** What new records have for themselves, and that together with the records that they refer to. */
interface Touched {
  readonly own: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/**
 * How many of the first groups of new records may be stored at the same time: none of them takes or refers to an id, a
 * unique value or a file that another one takes, so that the order of the groups changes nothing.
 */
export function independentGroups(
  model: EntityModel,
  groups: readonly (readonly RecordHeader[])[],
): number {
  const before = { own: new Set<string>(), all: new Set<string>() };
  for (const [at, group] of groups.entries()) {
    const { own, all } = touchedBy(model, group);
    if (!(own.isDisjointFrom(before.all) && all.isDisjointFrom(before.own))) return at;
    for (const name of own) before.own.add(name);
    for (const name of all) before.all.add(name);
  }
  return groups.length;
}

function touchedBy(model: EntityModel, headers: readonly RecordHeader[]): Touched {
  const { fields } = model.definition;
  const files = fields.filter(({ file }) => file !== undefined);
  const own = headers.flatMap((header) => [
    header.id,
    ...uniqueClaims(model, header).map(({ name, key }) => `${name}#${key}`),
    ...files.flatMap((field) => {
      const value = header.values[field.code];
      return typeof value === 'string' ? [`file#${value}`] : [];
    }),
  ]);
  const targets = headers.flatMap((header) => ownTargets(model, header));
  return { own: new Set(own), all: new Set([...own, ...targets]) };
}

/** Records of its entity that a new record refers to, by id. */
export const ownTargets = (model: EntityModel, header: RecordHeader): string[] =>
  referencesOf(model, header).flatMap(({ entity, id }) => (entity === model.code ? [id] : []));
