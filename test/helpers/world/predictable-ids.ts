import type { IdGenerator } from '../../../shared/primitives/ids.ts';

/** Ids in the form of a UUIDv7 that count from 1. */
export function predictableIds(): IdGenerator {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-7000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}
