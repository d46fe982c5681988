import type { Resource } from '../domain/directory/scim-path.ts';
import type { BasicConfig, Provider } from '../domain/sources/source.ts';
import type { Check } from '../http/checks.ts';

/** Kinds of objects that a source has. */
export type ResourceKind = 'Users' | 'Groups';

/** What a source can do. */
export interface Capabilities {
  readonly authMode: 'token' | 'basic' | 'client_credentials' | 'bearer';
  readonly filter: boolean;
  readonly sort: boolean;
  readonly cursorPaging: boolean;
  /** Objects in a page at most. */
  readonly maxResults: number;
}

/** Where reading a list goes on; plain data that a run keeps between its steps. */
export interface PagePosition {
  readonly startIndex: number;
  readonly cursor?: string | undefined;
  /** Objects that were read. */
  readonly read: number;
  readonly total: number;
  /** Objects that the source had when its list began. */
  readonly atFirst?: number | undefined;
  readonly size: number;
}

/** One page of a list. */
export interface ResourcePage {
  readonly resources: readonly Resource[];
  /** `undefined` at the end. */
  readonly next: PagePosition | undefined;
  readonly total: number;
  /** Whether the number of objects has changed since the page before. */
  readonly hasDrifted: boolean;
  /** The clock of the source (epoch ms), if it is known. */
  readonly sourceTime: number | undefined;
}

/** Which objects are listed. */
export interface ListRequest {
  readonly kind: ResourceKind;
  readonly filter?: string | undefined;
  readonly position?: PagePosition | undefined;
}

/** A user that is made at the source. */
export interface ProvisionedUser {
  readonly userName: string;
  readonly email?: string | undefined;
  readonly fullName?: string | undefined;
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
  readonly externalId?: string | undefined;
}

/** Reads a source and writes new users to it. Every failure of the source is a `SourceError`. */
export interface IdentitySourceClient {
  capabilities(): Promise<Capabilities>;
  page(request: ListRequest): Promise<ResourcePage>;
  /** @returns `undefined` when the source says that there is none */
  find(kind: ResourceKind, id: string): Promise<Resource | undefined>;
  count(kind: ResourceKind, filter?: string): Promise<number>;
  /** @returns the id at the source; of the user that has the name already, when there is one */
  createUser(user: ProvisionedUser): Promise<{ readonly id: string; readonly isNew: boolean }>;
}

/** What trying a configuration found; nothing that the source answered is in it. */
export interface ProviderReport {
  readonly checks: readonly Check[];
  readonly capabilities: Partial<Capabilities> & {
    readonly userCount?: number | undefined;
    readonly groupCount?: number | undefined;
    readonly nestedGroups?: boolean | undefined;
  };
}

/** A kind of source. */
export interface IdentitySourceProvider {
  /** @param key of a source and a version of its configuration: logins are kept under it */
  client(key: string, config: BasicConfig): IdentitySourceClient;
  validate(config: BasicConfig): Promise<ProviderReport>;
}

/** The kinds of sources that there are. */
export interface Providers {
  of(kind: Provider): IdentitySourceProvider;
}
