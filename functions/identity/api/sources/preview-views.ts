import type { PreviewedUser } from '../../sync/source-sync.ts';

/** Maps a previewed user to its answer. */
export const toPreview = ({
  externalId,
  refused,
  isInScope,
  user,
  departments,
  account,
}: PreviewedUser) => ({
  ...{ externalId, refused: refused ?? null, inScope: isInScope },
  user: user
    ? {
        userName: user.userName,
        email: user.email ?? null,
        phone: user.phone ?? null,
        fullName: user.fullName ?? null,
        nickName: user.nickName ?? null,
        givenName: user.givenName ?? null,
        familyName: user.familyName ?? null,
        sourceExternalId: user.sourceExternalId ?? null,
        active: user.active,
        roles: user.roles,
        attributes: user.attributes ?? {},
      }
    : null,
  departments,
  account: account ?? null,
});
