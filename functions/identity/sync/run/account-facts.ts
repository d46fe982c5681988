import type { AccountFacts, UserAccount } from '../../../../shared/ports/identity.ts';
import type { DirectoryUser } from '../../domain/directory/directory.ts';
import type { ActionType, FieldChange } from '../../domain/runs/history.ts';

const TEXTS = [
  'userName',
  'email',
  'phone',
  'fullName',
  'nickName',
  'givenName',
  'familyName',
] as const;

/** What a source says of a person, as an account has it. */
export function factsOf(user: DirectoryUser, orgIds: readonly string[]): AccountFacts {
  const { userName, email, phone, fullName, nickName, givenName, familyName, roles } = user;
  return { userName, email, phone, fullName, nickName, givenName, familyName, orgIds, roles };
}

/** What differs between an account and what the source says. */
export function changesOf(account: UserAccount, wanted: AccountFacts): readonly FieldChange[] {
  const texts = TEXTS.flatMap((field) => change(field, account[field], wanted[field]));
  return [
    ...texts,
    ...listChange('orgIds', account.orgIds, wanted.orgIds),
    ...listChange('roles', account.roles ?? [], wanted.roles ?? []),
  ];
}

const change = (field: string, from: unknown, to: unknown): FieldChange[] =>
  from === to ? [] : [{ field, from: from ?? null, to: to ?? null }];

const listChange = (
  field: string,
  from: readonly string[],
  to: readonly string[],
): FieldChange[] => (from.join('\n') === to.join('\n') ? [] : [{ field, from, to }]);

/** The change as the repository takes it: a value that is gone is emptied. */
export const changedFacts = (changes: readonly FieldChange[]) =>
  Object.fromEntries(changes.map(({ field, to }) => [field, to]));

/** How a change is called: a move changes nothing but departments. */
export function actionOf(
  changes: readonly FieldChange[],
  status: 'ENABLE' | 'DISABLE' | undefined,
): ActionType {
  if (status !== undefined) return status;
  const isMove = changes.length > 0 && changes.every(({ field }) => field === 'orgIds');
  return isMove ? 'MOVE' : 'UPDATE';
}
