import { ACCOUNT_FIELDS } from '../directory/account-fields.ts';
import type { MATCHINGS } from '../sources/source.ts';

/** Fields of an account that claims fill. */
export const MAPPED_FIELDS = [...ACCOUNT_FIELDS, 'roles'] as const;
export type MappedField = (typeof MAPPED_FIELDS)[number];

/** How people log in at an OpenID provider; stored encrypted. */
export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** None: a public client. */
  readonly clientSecret?: string | undefined;
  readonly scopes: readonly string[];
  /** Claims of fields, over the standard ones; `roles` has none of its own. */
  readonly mapping: Readonly<Partial<Record<MappedField, string>>>;
  /** Claim that identifies the account at a source. */
  readonly externalIdClaim: string;
}

/** A provider through which people log in. */
export interface IdentityProvider {
  readonly id: string;
  readonly tenant: string;
  /** Part of the address of the login; unique in all tenants. */
  readonly code: string;
  /** Unique in the tenant, in any case of letters. */
  readonly name: string;
  readonly type: 'OIDC';
  readonly remark?: string | undefined;
  readonly enabled: boolean;
  readonly displayed: boolean;
  /** Encrypted {@link OpenIdConfig}. */
  readonly config: string;
  /** Source whose people log in through it. */
  readonly identitySourceId?: string | undefined;
  /** Whether a person without an account gets one. */
  readonly autoCreate: boolean;
  readonly matching: (typeof MATCHINGS)[number];
  /** Domains whose verified mail addresses link accounts; with any, others get no account. */
  readonly allowedDomains: readonly string[];
  readonly version: number;
  /** How often its texts were encrypted again with a newer key, which makes no new version. */
  readonly seals?: number | undefined;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** First words below the path of providers that cannot be codes. */
export const RESERVED_CODES = [
  ...['list', 'create', 'update', 'get', 'enable', 'disable', 'delete', 'config_validator'],
  ...['jwks', 'token', 'displayed'],
] as const;
