import type { AccountFacts, UserAccount } from '../../../../shared/ports/identity.ts';
import { ACCOUNT_FIELDS } from '../../domain/directory/account-fields.ts';
import type { DirectoryUser } from '../../domain/directory/directory.ts';
import type { ActionType, FieldChange } from '../../domain/runs/history.ts';

/** What a source says of a person, as an account has it. */
export function factsOf(user: DirectoryUser, orgIds: readonly string[]): AccountFacts {
  const { userName, email, phone, fullName, nickName, givenName, familyName, roles } = user;
  const texts = { userName, email, phone, fullName, nickName, givenName, familyName };
  return { ...texts, orgIds, roles, attributes: user.attributes };
}

/** What differs between an account and what the source says. */
export function changesOf(account: UserAccount, wanted: AccountFacts): readonly FieldChange[] {
  const texts = ACCOUNT_FIELDS.flatMap((field) => change(field, account[field], wanted[field]));
  return [
    ...texts,
    ...listChange('orgIds', account.orgIds, wanted.orgIds),
    ...listChange('roles', account.roles ?? [], wanted.roles ?? []),
    ...(linesOf(account).join() === linesOf(wanted).join()
      ? []
      : change('attributes', account.attributes, wanted.attributes)),
  ];
}

const change = (field: string, from: unknown, to: unknown): FieldChange[] =>
  from === to ? [] : [{ field, from: from ?? null, to: to ?? null }];

const linesOf = ({ attributes = {} }: AccountFacts): readonly string[] =>
  Object.entries(attributes)
    .map((entry) => JSON.stringify(entry))
    .sort();

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
