import type { UserAccount } from '../../../../shared/ports/identity.ts';
import type { DepartmentNode } from '../../domain/accounts/department-tree.ts';

/** Maps an account to its answer. */
export const toUser = (account: UserAccount) => ({
  id: account.id,
  userName: account.userName,
  email: account.email ?? null,
  phone: account.phone ?? null,
  fullName: account.fullName ?? null,
  nickName: account.nickName ?? null,
  givenName: account.givenName ?? null,
  familyName: account.familyName ?? null,
  status: account.status,
  disabledBy: account.disabledBy ?? null,
  orgIds: account.orgIds,
  roles: account.roles ?? [],
  attributes: account.attributes ?? {},
  origin: account.origin,
  passwordSet: account.credential !== undefined,
  links: account.links,
  version: account.version,
  createdAt: account.createdAt,
  updatedAt: account.updatedAt,
});

export interface DepartmentView {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly order: number | null;
  readonly children: readonly DepartmentView[];
}

/** Maps a department with those below it to its answer. */
export const toNode = ({ id, name, code, order, children }: DepartmentNode): DepartmentView => ({
  ...{ id, name, code, order: order ?? null },
  children: children.map(toNode),
});
