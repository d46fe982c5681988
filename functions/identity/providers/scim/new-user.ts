import type { ProvisionedUser } from '../provider.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** The resource of a user that is made at a source. @param domain takes the place of the user's own domain */
export function newUser(user: ProvisionedUser, domain: string | undefined) {
  const { fullName, givenName, familyName, externalId } = user;
  const userName = inDomain(user.userName, domain);
  const email = domain === undefined ? user.email : inDomain(user.email ?? userName, domain);
  return {
    schemas: [USER],
    userName,
    active: true,
    ...(externalId !== undefined && { externalId }),
    ...(fullName !== undefined && { displayName: fullName }),
    ...((givenName ?? familyName) !== undefined && { name: { givenName, familyName } }),
    ...(email !== undefined && { emails: [{ value: email, primary: true }] }),
  };
}

const inDomain = (name: string, domain: string | undefined): string =>
  domain === undefined ? name : `${name.split('@')[0]}@${domain.replace(/^@/, '')}`;
