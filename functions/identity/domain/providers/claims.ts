import type { AccountFacts } from '../../../../shared/ports/identity.ts';
import type { MappedField, OpenIdConfig } from './provider.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** What a provider says of a person. */
export type LoginFacts = {
  readonly [Field in MappedField]?: AccountFacts[Field] | undefined;
};

/** @see OpenID Connect Core 1.0, section 5.1 */
const STANDARD: Readonly<Partial<Record<MappedField, string>>> & { readonly email: string } = {
  userName: 'preferred_username',
  email: 'email',
  phone: 'phone_number',
  fullName: 'name',
  nickName: 'nickname',
  givenName: 'given_name',
  familyName: 'family_name',
};
/** What may be entered by anybody, with the claim that says whether it is the person's. */
const VERIFIED_BY: ReadonlyMap<string, string> = new Map([
  ['email', 'email_verified'],
  ['phone_number', 'phone_number_verified'],
]);
const MAX_CHARACTERS = 255;
const CONTROL = /\p{Cc}/u;
const MAX_ROLES = 50;

/** A claim by its whole name, else by a dotted path. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((node, key) => {
    const isObject = typeof node === 'object' && node !== null && Object.hasOwn(node, key);
    return isObject ? (node as Claims)[key] : undefined;
  }, claims);
}

/** Whether a text can be an id or a name. */
export const isFit = (text: string): boolean =>
  text !== '' && text.length <= MAX_CHARACTERS && text.isWellFormed() && !CONTROL.test(text);

/** A claim that is a text as accounts have them. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return isFit(text) ? text : undefined;
}

/** A claim; a standard address or number counts only when the provider says that it is verified. */
export function provenClaim(claims: Claims, name: string): unknown {
  const flag = VERIFIED_BY.get(name);
  return flag === undefined || claims[flag] === true ? claimOf(claims, name) : undefined;
}

/** The facts of an account in claims. */
export function loginFacts(claims: Claims, { mapping }: Pick<OpenIdConfig, 'mapping'>): LoginFacts {
  const nameOf = (field: MappedField) => mapping[field] ?? STANDARD[field] ?? '';
  const text = (field: MappedField) => textOf(provenClaim(claims, nameOf(field)));
  const email = text('email');
  return {
    ...{ userName: text('userName') ?? email, email, phone: text('phone') },
    ...{ fullName: text('fullName'), nickName: text('nickName') },
    ...{ givenName: text('givenName'), familyName: text('familyName') },
    ...(mapping.roles !== undefined && { roles: words(claimOf(claims, mapping.roles)) }),
  };
}

function words(value: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given
    .map(textOf)
    .filter((text) => text !== undefined)
    .slice(0, MAX_ROLES);
}

/** The mail address in claims, whether it is verified or not. */
export const statedMail = (
  claims: Claims,
  { mapping }: Pick<OpenIdConfig, 'mapping'>,
): string | undefined => textOf(claimOf(claims, mapping.email ?? STANDARD.email));

/** Whether an address is the one that the provider has verified, and belongs to one of the domains. */
export function isTrustedMail(
  claims: Claims,
  email: string | undefined,
  domains: readonly string[],
): boolean {
  const address = email?.toLowerCase();
  const verified = textOf(provenClaim(claims, STANDARD.email))?.toLowerCase();
  const domain = address?.split('@').at(-1) ?? '';
  return address === verified && domains.some((each) => each.toLowerCase() === domain);
}
