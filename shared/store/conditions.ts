import type { Condition } from './table.ts';

/** The item must not exist yet. */
export const notExists: Condition = { expression: 'attribute_not_exists(pk)' };

/** The item must exist. */
export const exists: Condition = { expression: 'attribute_exists(pk)' };

/** The item must still have the version that was read; 0 means that there was none. */
export function versionIs(version: number): Condition {
  return version === 0
    ? notExists
    : {
        expression: '#version = :expectedVersion',
        names: { '#version': 'version' },
        values: { ':expectedVersion': version },
      };
}
