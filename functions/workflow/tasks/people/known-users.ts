import type { Host } from '../../../../shared/host/host.ts';
import { problems } from '../../errors.ts';

/**
 * What a user is called by, as far as that is known; without a repository of users in the host any name goes.
 * @throws Problem `USER_UNKNOWN` (422)
 */
export async function requireUser(
  { userRepository }: Pick<Host, 'userRepository'>,
  user: string,
): Promise<readonly string[]> {
  if (!userRepository) return [user];
  const found =
    (await userRepository.findById(user)) ?? (await userRepository.findByUsername(user));
  if (found?.status !== 'ENABLED') throw problems.userUnknown({ user });
  return [user, found.id, found.userName];
}
