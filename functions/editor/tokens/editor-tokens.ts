import { hkdfSync } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type * as z from 'zod';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { DocsSecrets } from './docs-secrets.ts';
import { type ContextClaims, contextClaims, type FileClaims, fileClaims } from './token-claims.ts';

interface EditorTokensDependencies {
  readonly secrets: DocsSecrets;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Kinds of tokens of our own: each has a key, so that none is good for anything else. */
const KINDS = {
  file: { label: 'docs/file/v1', typ: 'docs-file+jwt' },
  context: { label: 'docs/callback/v1', typ: 'docs-cb+jwt' },
} as const;

type Kind = keyof typeof KINDS;

const ALGORITHM = 'HS256';
const CLOCK_TOLERANCE_S = 60;
const MAX_TOKEN_LENGTH = 5_000_000;

/** Signs and verifies what travels by way of the editing server and browsers. */
export class EditorTokens {
  readonly #deps: EditorTokensDependencies;

  constructor(dependencies: EditorTokensDependencies) {
    this.#deps = dependencies;
  }

  /** Signs a whole configuration, or a command, as the editing server checks it. */
  async forServer(content: object, seconds: number): Promise<string> {
    const secret = await this.#deps.secrets.current();
    return this.#sign({ ...content }, seconds, { key: Buffer.from(secret), typ: 'JWT' });
  }

  /** The claims of a token of the editing server; `undefined` when it is none. */
  async ofServer(token: string): Promise<JWTPayload | undefined> {
    return this.#verify(token, (secret) => Buffer.from(secret));
  }

  issueFile(claims: Omit<FileClaims, 'typ' | 'exp'>, seconds: number): Promise<string> {
    return this.#issue('file', { typ: 'docs-file', ...claims }, seconds);
  }

  issueContext(claims: Omit<ContextClaims, 'typ' | 'exp'>, seconds: number): Promise<string> {
    return this.#issue('context', { typ: 'docs-cb', ...claims }, seconds);
  }

  /** The claims of an `accessToken`; `undefined` when it is none, or has expired. */
  file(token: string): Promise<FileClaims | undefined> {
    return this.#open('file', token, fileClaims());
  }

  /** The claims of a `contextToken`; `undefined` when it is none, or has expired. */
  context(token: string): Promise<ContextClaims | undefined> {
    return this.#open('context', token, contextClaims());
  }

  async #issue(kind: Kind, claims: JWTPayload, seconds: number): Promise<string> {
    const { label, typ } = KINDS[kind];
    const secret = await this.#deps.secrets.current();
    const content = { ...claims, jti: this.#deps.ids() };
    return this.#sign(content, seconds, { key: derived(secret, label), typ });
  }

  async #open<S extends z.ZodType>(
    kind: Kind,
    token: string,
    schema: S,
  ): Promise<z.output<S> | undefined> {
    const { label, typ } = KINDS[kind];
    const claims = await this.#verify(token, (secret) => derived(secret, label), {
      ...{ typ, clockTolerance: 0 },
    });
    const parsed = claims && schema.safeParse(claims);
    return parsed?.success ? parsed.data : undefined;
  }

  #sign(
    content: JWTPayload,
    seconds: number,
    { key, typ }: { readonly key: Uint8Array; readonly typ: string },
  ): Promise<string> {
    const nowS = Math.floor(this.#deps.clock.now() / 1_000);
    return new SignJWT(content)
      .setProtectedHeader({ alg: ALGORITHM, typ })
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + seconds)
      .sign(key);
  }

  /** Tries the secrets that are accepted; looks once more for a newer one. */
  async #verify(
    token: string,
    keyOf: (secret: string) => Uint8Array,
    more: { readonly typ?: string; readonly clockTolerance?: number } = {},
  ): Promise<JWTPayload | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const tried = new Set<string>();
    for (const isSuspect of [false, true]) {
      const secrets = await this.#deps.secrets.accepted(isSuspect);
      for (const secret of secrets.filter((each) => !tried.has(each))) {
        tried.add(secret);
        const verified = await this.#verifyBy(token, keyOf(secret), more);
        if (verified !== 'wrong key') return verified;
      }
    }
    return undefined;
  }

  async #verifyBy(
    token: string,
    key: Uint8Array,
    more: { readonly typ?: string; readonly clockTolerance?: number },
  ): Promise<JWTPayload | 'wrong key' | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['exp'],
        currentDate: new Date(this.#deps.clock.now()),
        ...more,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong key';
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** A key of a kind of tokens; none of them equals another, or what the editing server signs with. */
const derived = (secret: string, label: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', label, 32));
