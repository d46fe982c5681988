import { versionIs } from '../../../shared/store/conditions.ts';
import type { Condition } from '../../../shared/store/table.ts';

/** Something with cipher texts: encrypting them again with a newer key makes no new version. */
export interface Sealed {
  readonly version: number;
  /** How often its texts were given a newer key. */
  readonly seals?: number | undefined;
}

/**
 * What is stored has the version that was read, and its texts the key: whoever read it with a former key and writes it
 * back would bring that key back.
 * @param member attribute of the item that holds it
 */
export function isUnchanged(member: string, { version, seals }: Sealed): Condition {
  const { expression, names, values } = versionIs(version);
  const isSealed =
    seals === undefined ? 'attribute_not_exists(#member.#seals)' : '#member.#seals = :seals';
  return {
    expression: `${expression} AND ${isSealed}`,
    names: { ...names, '#member': member, '#seals': 'seals' },
    values: { ...values, ...(seals !== undefined && { ':seals': seals }) },
  };
}
