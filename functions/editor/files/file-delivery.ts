import { readByteRange } from '../../../shared/files/byte-range.ts';
import { contentDisposition } from '../../../shared/files/content-disposition.ts';
import { fileProblems } from '../../../shared/files/errors.ts';
import type { Files } from '../../../shared/files/files.ts';
import { readFirst } from '../../../shared/files/read-bounded.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { CHANGES, extensionOf, isDocumentPath, isPathOf, titleOf } from '../domain/file-id.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { problems } from '../errors.ts';
import { FILE_PATH } from '../paths.ts';
import type { EditorTokens } from '../tokens/editor-tokens.ts';
import type { FileClaims } from '../tokens/token-claims.ts';

/** Largest file that is part of an answer; of others the answer is a link. */
const MAX_INLINE_BYTES = 4 * 1_024 * 1_024;
/** Longest life of such a link (s). */
const LINK_SECONDS = 300;

interface FileDeliveryDependencies {
  readonly files: Files;
  readonly isOwnBucket: boolean;
  readonly tokens: EditorTokens;
  /** Address of the API for the editing server. */
  readonly serverBase: () => string;
  /** The machine's clock. */
  readonly clock: Clock;
}

/** What the editing server sends. */
export interface FileRequest {
  /** The path below that of files, as the gateway hands it on. */
  readonly path: string;
  readonly accessToken: string | undefined;
  readonly range: string | undefined;
  /** The token of the editing server itself, without its prefix. */
  readonly serverToken: string | undefined;
}

/** A file, a part of it, or where it is found. */
export type Delivery =
  | { readonly kind: 'link'; readonly location: string }
  | {
      readonly kind: 'bytes';
      readonly body: Buffer;
      readonly contentType: string;
      readonly disposition: string;
      /** Position of a part in the file. */
      readonly contentRange?: string | undefined;
    };

/** Gives the editing server what it is to open: the file of the token, whatever the path says. */
export class FileDelivery {
  readonly #deps: FileDeliveryDependencies;

  constructor(dependencies: FileDeliveryDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `UNAUTHENTICATED` (401), `ACCESS_TOKEN_INVALID` (403), `DOCS_FILE_NOT_FOUND` (404),
   *   `RANGE_NOT_SATISFIABLE` (416), `DOCS_FILE_TOO_LARGE` (422)
   */
  async deliver(request: FileRequest): Promise<Delivery> {
    const { files, isOwnBucket } = this.#deps;
    const claims = await this.#claimsOf(request);
    const { fid, v: versionId } = claims;
    const isOurs = isDocumentPath(fid, isOwnBucket) || fid.startsWith(CHANGES);
    if (!isOurs) throw problems.documentNotFound();
    // Without a range one request finds and reads it.
    const whole = request.range === undefined ? await files.open(fid, 0, versionId) : undefined;
    const facts = whole ?? (await files.facts(fid, versionId));
    if (!facts) throw problems.documentNotFound();
    const { sizeBytes } = facts;
    if (sizeBytes > MAX_INLINE_BYTES) {
      if (whole) await readFirst(whole.bytes, 1);
      return this.#linkTo(claims, sizeBytes);
    }
    const range = readByteRange(request.range, sizeBytes, MAX_INLINE_BYTES);
    if (range === 'unsatisfiable') throw fileProblems.rangeNotSatisfiable({ sizeBytes });
    const { from, to } = range ?? { from: 0, to: sizeBytes - 1 };
    const file = whole ?? (await files.open(fid, from, versionId));
    if (!file) throw problems.documentNotFound();
    return {
      kind: 'bytes',
      body: await readFirst(file.bytes, to - from + 1),
      contentType: contentTypeOf(extensionOf(fid)),
      disposition: contentDisposition(titleOf('', fid)),
      contentRange: range && `bytes ${from}-${to}/${sizeBytes}`,
    };
  }

  async #claimsOf({ path, accessToken, serverToken }: FileRequest): Promise<FileClaims> {
    if (accessToken === undefined) {
      throw httpProblems.unauthenticated({ detail: 'The query parameter accessToken is missing.' });
    }
    const claims = await this.#deps.tokens.file(accessToken);
    if (!claims || !isPathOf(path, claims.fid)) throw problems.accessTokenInvalid();
    if (!claims.dl) await this.#requireServer(serverToken, claims.fid);
    return claims;
  }

  /**
   * Whoever may not download has the address too: only the editing server proves that it is one. It signs requests to other
   * hosts as well, such as for pictures of a document; whoever gets those proves nothing here.
   */
  async #requireServer(serverToken: string | undefined, fileId: string): Promise<void> {
    const claims = serverToken ? await this.#deps.tokens.ofServer(serverToken) : undefined;
    const { payload } = claims ?? {};
    const url = isObject(payload) ? payload.url : undefined;
    if (typeof url !== 'string' || !URL.canParse(url)) throw problems.accessTokenInvalid();
    const { origin, pathname } = new URL(url);
    const base = this.#deps.serverBase();
    const isHere = URL.canParse(base) && origin === new URL(base).origin;
    const at = pathname.indexOf(`${FILE_PATH}/`);
    if (!isHere || at < 0 || !isPathOf(pathname.slice(at + FILE_PATH.length + 1), fileId))
      throw problems.accessTokenInvalid();
  }

  async #linkTo({ fid, exp, v: versionId }: FileClaims, sizeBytes: number): Promise<Delivery> {
    const { files, clock } = this.#deps;
    if (files.maxInlineBytes !== undefined) {
      throw problems.documentTooLarge({ sizeBytes, maxBytes: files.maxInlineBytes });
    }
    const left = Math.floor(exp - clock.now() / 1_000);
    const request = {
      fileName: titleOf('', fid),
      contentType: contentTypeOf(extensionOf(fid)),
      expiresInSeconds: Math.max(1, Math.min(left, LINK_SECONDS)),
    };
    const location = await files.downloadLink(fid, request, versionId);
    return { kind: 'link', location };
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
