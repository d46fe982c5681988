import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { RecordReading, RecordView } from '../../../shared/ports/records.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { fieldKey } from '../domain/fields/field.ts';

/** Most references of a record that are followed for one document. */
const MAX_REFERENCES = 20;

/** Values of records, as the caller's own GET shows them: what it refuses or leaves out is absent here. */
export class RecordValues {
  readonly #records: BoundPort<RecordReading>;

  constructor(records: BoundPort<RecordReading>) {
    this.#records = records;
  }

  /**
   * A record, with the records that it refers to and that the paths go on in.
   * @param paths dotted names that a document shows; the name of the entity may come first
   * @returns `undefined` where entities are switched off
   */
  async read(
    entityType: string,
    id: string,
    paths: readonly string[],
    principal: Principal,
  ): Promise<RecordView | 'absent' | undefined> {
    if (!this.#records.isOn) return undefined;
    const records = this.#records.use();
    const record = await unlessRefused(() => records.get(entityType, id, principal));
    if (!record) return 'absent';
    const expanded: Record<string, unknown> = {};
    for (const name of referencesIn(record, paths, entityType)) {
      const shown = { fields: name, expand: name };
      const found = await unlessRefused(() => records.get(entityType, id, principal, shown));
      if (found) expanded[name] = found[name];
    }
    return { ...record, ...expanded };
  }
}

/** Members with ids that a path goes on from. */
function referencesIn(
  record: RecordView,
  paths: readonly string[],
  entityType: string,
): readonly string[] {
  const names = paths.map((path) => {
    const [first = '', ...rest] = path.split('.');
    const isOfType = fieldKey(first) === fieldKey(entityType) && rest.length > 1;
    return isOfType ? rest[0] : rest.length > 0 ? first : undefined;
  });
  const found = names.filter(
    (name) => name !== undefined && Object.hasOwn(record, name) && typeof record[name] === 'string',
  );
  return [...new Set(found)].slice(0, MAX_REFERENCES) as string[];
}

/** `undefined` when the caller may not see it, or it is not a reference. */
async function unlessRefused(read: () => Promise<RecordView>): Promise<RecordView | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem && REFUSED.has(error.status)) return undefined;
    throw error;
  }
}

const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404]);
