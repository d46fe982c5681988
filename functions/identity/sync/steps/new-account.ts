import type { NewUser } from '../../../../shared/ports/identity.ts';
import type { UserOperation } from '../../domain/plan/operations.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { factsOf } from '../run/account-facts.ts';

/** The account of a new user: one that is not enabled at once waits for an administrator, not for the source. */
export function newAccount(
  { id: sourceId, tenant, strategyConfig }: IdentitySource,
  { id, user, departmentIds }: Extract<UserOperation, { kind: 'create' }>,
): NewUser {
  const { enabled, defaultPasswords } = strategyConfig.user;
  const { externalId, hash, active } = user;
  const [newest] = defaultPasswords
    .filter(({ hash: password }) => password !== undefined)
    .slice(-1);
  const isNewest = newest !== undefined && newest === defaultPasswords.at(-1);
  return {
    ...{ id, tenant, ...factsOf(user, departmentIds), origin: 'SOURCE' },
    ...(enabled && active
      ? { status: 'ENABLED' }
      : { status: 'DISABLED', disabledBy: enabled ? 'SOURCE' : 'ADMIN' }),
    ...(isNewest && {
      credential: { kind: 'SOURCE_DEFAULT', sourceId, version: newest.version, mustChange: true },
    }),
    links: [{ sourceId, externalId, hash, active, alias: user.sourceExternalId }],
  };
}
