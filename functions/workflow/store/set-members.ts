import type { Update } from '../../../shared/store/table.ts';

/** An update that sets members; those that are undefined stay as they are. */
export function settingMembers(members: Readonly<Record<string, unknown>>): Update {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return {
    expression: `SET ${given.map((_, at) => `#m${at} = :m${at}`).join(', ')}`,
    names: Object.fromEntries(given.map(([name], at) => [`#m${at}`, name])),
    values: Object.fromEntries(given.map(([, value], at) => [`:m${at}`, value])),
  };
}
