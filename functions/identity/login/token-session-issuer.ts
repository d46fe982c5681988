import { importJWK, SignJWT } from 'jose';
import type { IssuedSession, SessionIssuer, UserAccount } from '../../../shared/ports/identity.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
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
  readonly tokenExpiration: number;
}

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
    const { userName, fullName, email, tenant, roles = [] } = user;
    const accessToken = await new SignJWT({
      ...{ preferred_username: userName, groups, roles },
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
}
