import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import * as z from 'zod';
import type { TenantClock } from '../../../shared/primitives/clock.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { anonymous, type Principal } from '../../../shared/security/principal.ts';
import type { ReaderRepository, TrustedKey } from '../store/reader-repository.ts';

interface ReaderTokensDependencies {
  readonly keys: Pick<ReaderRepository, 'find'>;
  readonly tenantClock: TenantClock;
}

/** `typ` of the token that the plugin of an editor reads fields by. */
const TOKEN_TYPE = 'docs-plugin+jwt';
const ALGORITHM = 'EdDSA';
const MAX_TOKEN_LENGTH = 4_096;
const KEY_ID = /^[\w-]{43}$/;

const claims = lazy(() =>
  z.object({
    typ: z.literal('docs-plugin'),
    sub: z.string().min(1),
    /** The template; without one the token reads builtin fields only. */
    tid: z.string().optional(),
    /** Tenant of the user. */
    tn: z.string().optional(),
    exp: z.number(),
  }),
);

type Claims = z.output<ReturnType<typeof claims>>;

/** Tokens that read merge fields without being those of a user: the plugin of an editor has one. */
export class ReaderTokens {
  readonly #deps: ReaderTokensDependencies;
  readonly #keys = new Map<string, TrustedKey>();

  constructor(dependencies: ReaderTokensDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The user for whom the token of a request reads; `undefined` when it sends none of this kind.
   * @param templateId the template whose fields are asked for; none: builtin ones
   * @throws Problem `UNAUTHENTICATED` (401); `FORBIDDEN` (403) for a token of another template
   */
  async readerOf(
    { authorization }: Readonly<Record<string, string | undefined>>,
    templateId?: string,
  ): Promise<Principal | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined || token.length > MAX_TOKEN_LENGTH) return undefined;
    const keyId = readerKeyId(token);
    if (keyId === undefined) return undefined;
    const { sub, tid, tn } = await this.#verify(token, keyId);
    if (templateId !== undefined && tid !== templateId) throw httpProblems.forbidden({});
    return {
      ...anonymous,
      ...{ id: sub, username: sub, authenticated: true },
      ...(tn !== undefined && { tenant: tn }),
    };
  }

  async #verify(token: string, keyId: string): Promise<Claims> {
    const { machine } = this.#deps.tenantClock;
    const key = await this.#key(keyId, machine.now());
    if (!key) throw refused();
    const parsed = claims().safeParse(await this.#payload(token, key));
    if (!parsed.success) throw refused();
    const { tn, exp } = parsed.data;
    if ((await this.#deps.tenantClock.times()).of(tn) >= exp * 1_000) throw refused();
    return parsed.data;
  }

  async #payload(token: string, { x }: TrustedKey): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(
        token,
        { kty: 'OKP', crv: 'Ed25519', x },
        {
          ...{ algorithms: [ALGORITHM], typ: TOKEN_TYPE, requiredClaims: ['exp', 'sub'] },
          currentDate: new Date(this.#deps.tenantClock.machine.now()),
        },
      );
      return payload;
    } catch (cause) {
      throw cause instanceof errors.JOSEError ? refused(cause) : cause;
    }
  }

  /** A key is looked up again only once its trust has ended here. */
  async #key(id: string, nowMs: number): Promise<TrustedKey | undefined> {
    const isTrusted = (key: TrustedKey | undefined) => key && key.untilS * 1_000 > nowMs;
    const known = this.#keys.get(id);
    if (isTrusted(known)) return known;
    const found = await this.#deps.keys.find(id);
    if (!found || !isTrusted(found)) return undefined;
    this.#keys.set(id, found);
    return found;
  }
}

/** The id of the key of such a token; other tokens are for others to look at. */
function readerKeyId(token: string): string | undefined {
  try {
    const { typ, kid } = decodeProtectedHeader(token);
    if (typ !== TOKEN_TYPE) return undefined;
    if (kid === undefined || !KEY_ID.test(kid)) throw refused();
    return kid;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const refused = (cause?: unknown): Error =>
  httpProblems.unauthenticated(
    {
      detail: 'The token of the editor is not valid, or has expired: open the document again.',
      error: 'invalid_token',
    },
    { cause },
  );
