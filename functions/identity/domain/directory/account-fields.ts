/** Texts of an account that a mapping may name; any other name becomes an attribute of its own. */
export const ACCOUNT_FIELDS = [
  'userName',
  'email',
  'phone',
  'fullName',
  'nickName',
  'givenName',
  'familyName',
] as const;
export type AccountField = (typeof ACCOUNT_FIELDS)[number];
