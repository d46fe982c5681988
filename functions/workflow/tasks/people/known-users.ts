import type { Host } from '../../../../shared/host/host.ts';
import type { UserAccount, UserRepository } from '../../../../shared/ports/identity.ts';
import { problems } from '../../errors.ts';

type Users = Pick<Host, 'userRepository'>;

/**
 * What a user is called by who is to have tasks of a tenant, as far as that is known; without a repository of users in the
 * host any name goes.
 * @throws Problem `USER_UNKNOWN` (422)
 */
export async function requireUser(
  { userRepository }: Users,
  user: string,
  tenant: string,
): Promise<readonly string[]> {
  if (!userRepository) return [user];
  const found = await findUser(userRepository, user, tenant);
  if (found?.status !== 'ENABLED') throw problems.userUnknown({ user });
  return [user, found.id, found.userName];
}

/** What a user is called by, known or not, and whether or not the account is enabled. */
export async function namesOfAnyone(
  { userRepository }: Users,
  user: string,
  tenant: string,
): Promise<readonly string[]> {
  const found = userRepository && (await findUser(userRepository, user, tenant));
  return [...new Set(found ? [user, found.id, found.userName] : [user])];
}

/** A user who sees the tasks of a tenant: one of it, or of none. */
async function findUser(
  users: UserRepository,
  user: string,
  tenant: string,
): Promise<UserAccount | undefined> {
  const found = await users.findById(user);
  if (found && [undefined, '', tenant].includes(found.tenant)) return found;
  const named = tenant === '' ? undefined : await users.findByUsername(user, tenant);
  return named ?? users.findByUsername(user);
}
