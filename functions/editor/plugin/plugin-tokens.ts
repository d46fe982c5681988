import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT } from 'jose';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { FieldReaders, ReaderKey } from '../../../shared/ports/templates.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { once } from '../../../shared/primitives/once.ts';
import type { Principal } from '../../../shared/security/principal.ts';

interface PluginTokensDependencies {
  /** The secret that is shared with the editing server; the key is derived from it. */
  readonly secret: () => Promise<string>;
  readonly readers: BoundPort<FieldReaders>;
  readonly clock: Clock;
  readonly tokenSeconds: number;
}

/** What a token is made for. */
export interface PluginTokenFacts {
  readonly documentId: string;
  /** Without one the plugin reads builtin fields only. */
  readonly templateId?: string | undefined;
  readonly templateType: string;
  readonly principal: Pick<Principal, 'id' | 'tenant'>;
}

interface SigningKey extends ReaderKey {
  readonly privateKey: KeyObject;
  /** Templates know this (epoch seconds). */
  trustedUntilS: number;
}

const LABEL = 'docs/plugin/v1';
const DAY_S = 86_400;
/** What comes before the 32 bytes of a private Ed25519 key. @see RFC 8410, section 10.3 */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Tokens by which the plugin reads merge fields. They are signed by a key of their own, whose public half is all that
 * templates get: the secret of the editing server signs configurations and callbacks, and stays in this function.
 */
export class PluginTokens {
  readonly #deps: PluginTokensDependencies;
  #key: (() => Promise<SigningKey>) | undefined;
  #secret = '';

  constructor(dependencies: PluginTokensDependencies) {
    this.#deps = dependencies;
  }

  /** @returns `undefined` when templates are switched off: there are no fields to read then */
  async issue({ principal, ...facts }: PluginTokenFacts): Promise<string | undefined> {
    const { readers, clock, tokenSeconds } = this.#deps;
    if (!readers.isOn) return undefined;
    const nowS = Math.floor(clock.now() / 1_000);
    const key = await this.#currentKey();
    await this.#publish(key, nowS + tokenSeconds);
    const { documentId, templateId, templateType } = facts;
    return await new SignJWT({
      ...{ typ: 'docs-plugin', did: documentId, tt: templateType },
      ...(templateId !== undefined && { tid: templateId }),
      ...(principal.tenant !== undefined && { tn: principal.tenant }),
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'docs-plugin+jwt', kid: key.id })
      .setSubject(principal.id)
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + tokenSeconds)
      .sign(key.privateKey);
  }

  async #currentKey(): Promise<SigningKey> {
    const secret = await this.#deps.secret();
    if (!this.#key || secret !== this.#secret) {
      this.#secret = secret;
      this.#key = once(() => deriveKey(secret));
    }
    return await this.#key();
  }

  /** Trust is renewed once a day, and always outlives the token. */
  async #publish(key: SigningKey, neededUntilS: number): Promise<void> {
    if (key.trustedUntilS >= neededUntilS) return;
    const untilS = neededUntilS + DAY_S;
    await this.#deps.readers.use().trust({ id: key.id, x: key.x }, untilS);
    key.trustedUntilS = untilS;
  }
}

async function deriveKey(secret: string): Promise<SigningKey> {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', LABEL, 32));
  const der = Buffer.concat([PKCS8_HEADER, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const id = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return { id, x, privateKey, trustedUntilS: 0 };
}
