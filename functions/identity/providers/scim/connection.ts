import type { HttpClient } from '../../../../shared/http-client/contract.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';

/** How the admin account of a source logs in. */
export interface ScimConfig {
  readonly baseUrl: string;
  readonly adminUsername: string;
  readonly adminPassword: string;
  readonly adminTokenTtlMinutes: number;
  readonly domainOverride?: string | undefined;
  readonly authMode: 'auto' | 'token' | 'basic' | 'client_credentials' | 'bearer';
  readonly tokenUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** A source, and the version of its configuration: what is kept of it belongs to both. */
export interface ScimConnection {
  readonly key: string;
  readonly config: ScimConfig;
}

/** What clients of sources work with. */
export interface ScimDependencies {
  readonly http: HttpClient;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly requestsPerSecond: number;
  readonly random?: () => number;
}
