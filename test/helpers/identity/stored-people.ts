import type { Department, UserAccount } from '../../../shared/ports/identity.ts';
import type { SyncWorld } from './sync-world.ts';

interface StoredItem {
  readonly type?: string;
  readonly account?: UserAccount;
  readonly department?: Department;
}

const itemsOf = ({ context }: SyncWorld): readonly StoredItem[] => context.db.items();

/** Accounts in the one table by their names. */
export const accountsOf = (world: SyncWorld): readonly UserAccount[] =>
  itemsOf(world)
    .flatMap(({ type, account }) => (type === 'user' && account ? [account] : []))
    .sort((one, other) => (one.userName < other.userName ? -1 : 1));

/** Who is there, and in which departments, whatever their ids are. */
export function stateOf(world: SyncWorld): readonly string[] {
  const names = new Map(
    itemsOf(world).flatMap(({ type, department }) =>
      type === 'department' && department ? [[department.id, department.name] as const] : [],
    ),
  );
  return accountsOf(world).map(({ userName, status, fullName = '', orgIds }) =>
    [userName, status, fullName, ...orgIds.map((id) => names.get(id))].join('|'),
  );
}

/** People whom a directory has and who may not log in, and those who are there twice: there must be none. */
export function wrongAccounts(
  world: SyncWorld,
  { users }: SyncWorld['directory'] = world.directory,
): readonly string[] {
  const names = accountsOf(world).flatMap(({ userName, status }) =>
    status === 'ENABLED' ? [userName] : [],
  );
  const known = new Set(names);
  const twice = names.filter((name, at) => names[at + 1] === name);
  const lost = [...users.values()].map(({ userName }) => String(userName));
  return [...twice, ...lost.filter((name) => !known.has(name))];
}
