/** The one kind of source; a second one is a value here, a folder of its own and a branch of the registry. */
export const PROVIDERS = ['EXTSRC'] as const;
export type Provider = (typeof PROVIDERS)[number];

/**
 * How the admin account logs in. `auto`: by a token endpoint if the source has one, else `basic`. `token`: password
 * grant. `client_credentials`: name and password are those of a client. `bearer`: the password is the token itself.
 */
export const AUTH_MODES = ['auto', 'token', 'basic', 'client_credentials', 'bearer'] as const;
export const MATCHINGS = [
  'identifier',
  'email_link',
  'email_deny',
  'username_link',
  'username_deny',
] as const;
export const MISSING_POLICIES = ['DISABLE', 'DELETE', 'KEEP'] as const;
export const JOB_MODES = ['period', 'timed'] as const;
export const DAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** Connection data, stored encrypted. */
export interface BasicConfig {
  /** Root of the source's SCIM 2.0 interface. */
  readonly baseUrl: string;
  readonly adminUsername: string;
  readonly adminPassword: string;
  readonly domainOverride?: string | undefined;
  readonly adminTokenTtlMinutes: number;
  readonly incrementalEnabled: boolean;
  readonly notifyTemplateCode?: string | undefined;
  readonly authMode: (typeof AUTH_MODES)[number];
  readonly tokenUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Who signs security event tokens: `iss`, and where the keys are; without keys the event secret signs. */
  readonly eventIssuer?: string | undefined;
  readonly eventJwksUri?: string | undefined;
}

/** A default password in one version; accounts keep the version that held when they were made. */
export interface DefaultPassword {
  readonly version: number;
  /** As `hashPassword` makes it; none from when there was no default password. */
  readonly hash?: string | undefined;
}

/** What becomes of the people and groups of a source. */
export interface StrategyConfig {
  readonly organization: {
    /** Department that the tree of the source is attached to. */
    readonly targetId?: string | undefined;
  };
  readonly user: {
    /** Whether new accounts may log in at once. */
    readonly enabled: boolean;
    readonly emailNotify: boolean;
    readonly matching: (typeof MATCHINGS)[number];
    /** Domains whose mail addresses may link accounts. */
    readonly trustedDomains: readonly string[];
    readonly onMissing: (typeof MISSING_POLICIES)[number];
    readonly defaultPasswords: readonly DefaultPassword[];
  };
  readonly guard: { readonly maxDeletePercent: number; readonly maxDeleteCount: number };
  /** Field of an account to path of a SCIM attribute. */
  readonly mapping: Readonly<Record<string, string>>;
  readonly scope: {
    /** SCIM filter of the users. */
    readonly userFilter?: string | undefined;
    /** Names or ids of groups whose members are taken; none: all. */
    readonly includeGroups: readonly string[];
    readonly excludeGroups: readonly string[];
  };
  /** Roles by the name or id of a group. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Hours after which an incremental run is a full one. */
  readonly fullEveryHours: number;
}

/** When the source is synchronised by itself. */
export interface JobConfig {
  readonly mode?: (typeof JOB_MODES)[number] | undefined;
  readonly value?: string | undefined;
  readonly dayOfWeek?: readonly (typeof DAYS)[number][] | undefined;
  readonly timezone?: string | undefined;
  readonly jitterMinutes?: number | undefined;
}

/** A source of people and groups. */
export interface IdentitySource {
  readonly id: string;
  readonly tenant: string;
  /** Part of the address that events are sent to; unique in all tenants. */
  readonly code: string;
  /** Unique in the tenant, in any case of letters. */
  readonly name: string;
  readonly provider: Provider;
  readonly remark?: string | undefined;
  readonly enabled: boolean;
  readonly configured: boolean;
  /** Encrypted {@link BasicConfig}. */
  readonly basicConfig?: string | undefined;
  /** Encrypted {@link EventSecrets}. */
  readonly eventSecrets: string;
  readonly strategyConfig: StrategyConfig;
  readonly jobConfig: JobConfig;
  readonly version: number;
  /** How often its texts were encrypted again with a newer key, which makes no new version. */
  readonly seals?: number | undefined;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** What signs the events of a source. */
export interface EventSecrets {
  readonly current: string;
  /** The one before, until an instant. */
  readonly previous?: { readonly secret: string; readonly until: string } | undefined;
}

/** The strategy of a source that says nothing of it. */
export const DEFAULT_STRATEGY: StrategyConfig = {
  organization: {},
  user: {
    enabled: false,
    emailNotify: false,
    matching: 'identifier',
    trustedDomains: [],
    onMissing: 'DISABLE',
    defaultPasswords: [],
  },
  guard: { maxDeletePercent: 20, maxDeleteCount: 500 },
  mapping: {},
  scope: { includeGroups: [], excludeGroups: [] },
  roles: {},
  fullEveryHours: 24,
};
