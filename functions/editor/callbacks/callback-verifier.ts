import { bearerOf } from '../domain/bearer.ts';
import { type Callback, isCallback, readCallback } from '../domain/callback.ts';
import { problems } from '../errors.ts';
import type { EditorTokens } from '../tokens/editor-tokens.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';

interface CallbackVerifierDependencies {
  readonly tokens: EditorTokens;
  readonly docs: { readonly callbackTokenRequired: boolean };
}

/** A callback as it was sent. */
export interface SentCallback {
  readonly contextToken: string | undefined;
  /** Of JSON. */
  readonly body: unknown;
  /** Content of the header of tokens. */
  readonly header: string | undefined;
}

/** A callback that was signed for what it is about. */
export interface VerifiedCallback {
  readonly context: ContextClaims;
  readonly callback: Callback;
}

type Claims = Readonly<Record<string, unknown>>;

/** Accepts callbacks: it uses only content that the document server has signed. */
export class CallbackVerifier {
  readonly #deps: CallbackVerifierDependencies;

  constructor(dependencies: CallbackVerifierDependencies) {
    this.#deps = dependencies;
  }

  /** Claims of the context token of a callback. @throws Problem `DOCS_CONTEXT_INVALID` (403) */
  async context(contextToken: string | undefined): Promise<ContextClaims> {
    const context = contextToken ? await this.#deps.tokens.context(contextToken) : undefined;
    if (!context) throw problems.contextTokenInvalid();
    return context;
  }

  /** @throws Problem `DOCS_CONTEXT_INVALID`, `DOCS_CALLBACK_TOKEN_INVALID` (403), `DOCS_CALLBACK_INVALID` (400) */
  async verify(sent: SentCallback): Promise<VerifiedCallback> {
    const context = await this.context(sent.contextToken);
    const claims = await this.#claimsOf(sent);
    if (!isCallback(claims)) throw problems.callbackTokenInvalid();
    const callback = readCallback(claims);
    if (typeof callback === 'string') throw problems.callbackInvalid({ reason: callback });
    if (claims.key !== context.key) throw problems.contextTokenInvalid();
    return { context, callback };
  }

  /** A token in the body counts, and that in the header only where the body has none. */
  async #claimsOf({ body, header }: SentCallback): Promise<Claims> {
    if (!isObject(body)) throw problems.callbackInvalid({ reason: 'the body is no object' });
    const { tokens, docs } = this.#deps;
    if (body.token !== undefined) {
      const claims = typeof body.token === 'string' ? await tokens.ofServer(body.token) : undefined;
      if (!claims) throw problems.callbackTokenInvalid();
      return claims;
    }
    const bearer = bearerOf(header);
    if (bearer !== undefined) {
      const { payload } = (await tokens.ofServer(bearer)) ?? {};
      if (!isObject(payload)) throw problems.callbackTokenInvalid();
      return payload;
    }
    if (docs.callbackTokenRequired || header !== undefined) throw problems.callbackTokenInvalid();
    if (!isCallback(body)) throw problems.callbackInvalid({ reason: 'key or status is missing' });
    return body;
  }
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
