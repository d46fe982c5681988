import type { Problem } from '../../../shared/problems/problem.ts';

/** What an application begins a login with. */
export interface LoginCall {
  readonly returnTo: string;
  readonly redirectUri: string;
  readonly codeChallenge?: string | undefined;
  readonly isLink: boolean;
  /** The cookie of the browser, if it has one. */
  readonly browser?: string | undefined;
}

/** What a provider sends a browser back with. */
export interface CallbackCall {
  readonly state: string;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
  readonly browser?: string | undefined;
}

/** Where a browser goes after its login, or why it has failed. */
export interface Returned {
  readonly returnTo: string;
  readonly code?: string;
  readonly problem?: Problem;
}
