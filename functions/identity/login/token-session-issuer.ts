import { importJWK, SignJWT } from 'jose';
import type { IssuedSession, SessionIssuer, UserAccount } from '../../../shared/ports/identity.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import {
  SESSION_AUDIENCE,
  SESSION_ISSUER,
  SESSION_TYP,
} from '../../../shared/sessions/session-issuer.ts';
import type { SessionKeys } from './session-keys.ts';

interface TokenSessionIssuerDependencies {
  readonly keys: SessionKeys;
  /** The clock of the machine, which checks tokens too. */
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
  readonly tokenExpiration: number;
}

/** Bytes of all groups and of all roles in a token: gateways take 10 KB of headers. */
const MAX_BYTES = { groups: 3_000, roles: 1_000 } as const;

/** Gives tokens that every module accepts: signed by the module's own key, with departments as groups. */
export class TokenSessionIssuer implements SessionIssuer {
  readonly #deps: TokenSessionIssuerDependencies;

  constructor(dependencies: TokenSessionIssuerDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `SESSION_KEY_MISSING` (503) */
  async issue(user: UserAccount, groups: readonly string[]): Promise<IssuedSession> {
    const { keys, clock, ids, tokenExpiration: expiresIn } = this.#deps;
    const { kid, privateKey } = await keys.current();
    const nowS = Math.floor(clock.now() / 1_000);
    const { userName, fullName, email, tenant } = user;
    const accessToken = await new SignJWT({
      preferred_username: userName,
      groups: this.#fitting('groups', groups, user),
      roles: this.#fitting('roles', user.roles ?? [], user),
      ...(fullName !== undefined && { name: fullName }),
      ...(email !== undefined && { email }),
      ...(tenant !== undefined && tenant !== '' && { tenant }),
    })
      .setProtectedHeader({ alg: 'ES256', kid, typ: SESSION_TYP })
      .setIssuer(SESSION_ISSUER)
      .setAudience(SESSION_AUDIENCE)
      .setSubject(user.id)
      .setJti(ids())
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + expiresIn)
      .sign(await importJWK(privateKey, 'ES256'));
    return { accessToken, tokenType: 'Bearer', expiresIn };
  }

  /** The first ones: those of the own departments come before those above them. */
  #fitting(
    claim: keyof typeof MAX_BYTES,
    words: readonly string[],
    { id }: UserAccount,
  ): readonly string[] {
    let bytes = 0;
    const isOver = (word: string): boolean => {
      bytes += Buffer.byteLength(word) + '"",'.length;
      return bytes > MAX_BYTES[claim];
    };
    const count = words.findIndex(isOver);
    if (count < 0) return words;
    this.#deps.log.warn('A token leaves out facts of its account: it would be too large', {
      ...{ claim, user: id, left: words.length - count },
    });
    return words.slice(0, count);
  }
}
