/** Who is calling. */
export interface Principal {
  /** Subject of the token; `anonymous` when no token was sent. */
  readonly id: string;
  /** Who issued the token: subjects are unique within their issuer only. */
  readonly issuer?: string | undefined;
  readonly username: string;
  readonly authenticated: boolean;
  readonly roles: readonly string[];
  /** Groups and departments of the user, for candidate groups of tasks and policies by group. */
  readonly groups: readonly string[];
  /** Permissions such as `setting:view`, from the permissions claim and the words of `scope`. */
  readonly permissions: readonly string[];
  readonly tenant?: string | undefined;
  /** The verified claims, for policies of the host. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The caller of a public path who sent no token. */
export const anonymous: Principal = {
  id: 'anonymous',
  username: 'anonymous',
  authenticated: false,
  roles: [],
  groups: [],
  permissions: [],
  claims: {},
};

/** The principal of schedules, listeners and jobs. */
export const systemPrincipal: Principal = {
  id: 'system',
  username: 'system',
  authenticated: true,
  roles: [],
  groups: [],
  permissions: [],
  claims: {},
};

/** A caller as it is kept with what it owns. */
export interface Owner {
  /** Subject of the token. */
  readonly createdBy: string;
  /** Issuer of that token, where it named one. */
  readonly createdByIssuer?: string | undefined;
  /** Tenant that it acted for, if any. */
  readonly createdByTenant?: string | undefined;
}

type Caller = Pick<Principal, 'id' | 'issuer' | 'tenant'>;

/** The owner of what a caller creates. */
export const ownerOf = ({ id, issuer, tenant }: Caller): Owner => ({
  createdBy: id,
  ...(issuer === undefined ? {} : { createdByIssuer: issuer }),
  ...(tenant === undefined ? {} : { createdByTenant: tenant }),
});

/** Whether it belongs to the caller: equal subjects of two issuers are two callers, and so is one that acts for two tenants. */
export const isOwnedBy = (
  { createdBy, createdByIssuer, createdByTenant }: Owner,
  { id, issuer, tenant }: Caller,
): boolean => createdBy === id && createdByIssuer === issuer && createdByTenant === tenant;

/** Who did something, for audits: the subject as `by`, and its issuer where a token named one. */
export const actorOf = ({
  id,
  issuer,
}: Pick<Principal, 'id' | 'issuer'>): { readonly by: string; readonly issuer?: string } => ({
  by: id,
  ...(issuer === undefined ? {} : { issuer }),
});
