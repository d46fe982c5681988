import type { IdGenerator } from '../../../shared/primitives/ids.ts';

/** Ids in the form of a UUIDv7 that count from 1. @param now time that they begin with; default: that of no record */
export function predictableIds(now: () => number = () => 0): IdGenerator {
  let count = 0;
  return () => {
    count += 1;
    const time = now().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}
