import type { Resource } from '../../../functions/identity/domain/directory/scim-path.ts';
import type { Department, UserAccount } from '../../../shared/ports/identity.ts';
import type { TestContext } from '../world/a-context.ts';

interface People {
  readonly context: Pick<TestContext, 'db'>;
}

interface Directory {
  readonly users: ReadonlyMap<string, Resource>;
}

interface StoredItem {
  readonly type?: string;
  readonly account?: UserAccount;
  readonly department?: Department;
}

const itemsOf = ({ context }: People): readonly StoredItem[] => context.db.items();

/** Accounts in the one table by their names. */
export const accountsOf = (world: People): readonly UserAccount[] =>
  itemsOf(world)
    .flatMap(({ type, account }) => (type === 'user' && account ? [account] : []))
    .sort((one, other) => (one.userName < other.userName ? -1 : 1));

/** Who is there, and in which departments, whatever their ids are. */
export function stateOf(world: People): readonly string[] {
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
  world: People & { readonly directory: Directory },
  { users }: Directory = world.directory,
): readonly string[] {
  const names = accountsOf(world).flatMap(({ userName, status }) =>
    status === 'ENABLED' ? [userName] : [],
  );
  const known = new Set(names);
  const twice = names.filter((name, at) => names[at + 1] === name);
  const lost = [...users.values()].map(({ userName }) => String(userName));
  return [...twice, ...lost.filter((name) => !known.has(name))];
}
