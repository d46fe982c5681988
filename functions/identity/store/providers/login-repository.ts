import { createHash } from 'node:crypto';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import { exists, notExists } from '../../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { Claims } from '../../domain/providers/claims.ts';

/*
 * Access patterns: facts of a login, by digests, so that a reader of the table cannot continue it
 *   a login under way      identity_provider#@login#<digest of state>   HEAD
 *   a login that is done   identity_provider#@code#<digest of code>     HEAD
 */
const keyOf = (kind: 'login' | 'code', secret: string): Key => ({
  pk: `identity_provider#@${kind}#${digest(secret)}`,
  sk: 'HEAD',
});

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');

/** A login that has gone to its provider. */
export interface StartedLogin {
  readonly providerId: string;
  /** Digest of the cookie of the browser that has started it. */
  readonly browser: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly returnTo: string;
  /** S256 challenge of the application: only who has its verifier gets the token. */
  readonly codeChallenge?: string | undefined;
  readonly isLink: boolean;
}

/** A login that has come back, or an identity to be linked. */
export interface FinishedLogin {
  readonly providerId: string;
  readonly codeChallenge?: string | undefined;
  readonly userId?: string | undefined;
  readonly identity?: { readonly sub: string; readonly claims: Claims } | undefined;
}

interface LoginItem<T> extends Item {
  readonly login: T;
  /** Epoch ms. */
  readonly until: number;
}

const LIFE_MS = { login: 600_000, code: 60_000 } as const;

interface LoginRepositoryDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** Logins under way: each is taken once, and not after its time. */
export class LoginRepository {
  readonly #deps: LoginRepositoryDependencies;

  constructor(dependencies: LoginRepositoryDependencies) {
    this.#deps = dependencies;
  }

  start(state: string, login: StartedLogin): Promise<void> {
    return this.#put('login', state, login);
  }

  finish(code: string, login: FinishedLogin): Promise<void> {
    return this.#put('code', code, login);
  }

  /** @param isRight whether it may be taken; one that may not stays */
  takeStarted(
    state: string,
    isRight: (login: StartedLogin) => boolean,
  ): Promise<StartedLogin | undefined> {
    return this.#take('login', state, isRight);
  }

  takeFinished(
    code: string,
    isRight: (login: FinishedLogin) => boolean,
  ): Promise<FinishedLogin | undefined> {
    return this.#take('code', code, isRight);
  }

  async #put(kind: 'login' | 'code', secret: string, login: object): Promise<void> {
    const { unitOfWork, clock } = this.#deps;
    const until = clock.now() + LIFE_MS[kind];
    const ttl = Math.ceil(until / 1_000) + 60;
    await unitOfWork(async (unit) =>
      unit.put(
        { ...keyOf(kind, secret), type: `identity_${kind}`, login, until, ttl },
        { condition: notExists, otherwise: 'retry' },
      ),
    );
  }

  async #take<T>(
    kind: 'login' | 'code',
    secret: string,
    isRight: (login: T) => boolean,
  ): Promise<T | undefined> {
    const { table, unitOfWork, clock } = this.#deps;
    const key = keyOf(kind, secret);
    return unitOfWork(async (unit) => {
      const item = await table.get<LoginItem<T>>(key);
      if (!item || item.until <= clock.now() || !isRight(item.login)) return undefined;
      unit.delete(key, {
        condition: exists,
        otherwise: 'retry',
      });
      return item.login;
    });
  }
}
