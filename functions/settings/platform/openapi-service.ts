import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { gunzip, gzip } from 'node:zlib';
import type { Reply } from '../../../shared/http/reply.ts';
import { isKnown } from '../../../shared/http/reply.ts';
import type { OpenApiDocument } from '../../../shared/openapi/document.ts';
import { type Deployed, tailorApi } from '../../../shared/openapi/tailor-api.ts';
import { promisify } from '../../../shared/primitives/node/node-functions.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { AssetFolder } from './asset-folder.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** A static response. */
interface ServedFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly isCompressed: boolean;
  readonly etag: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
};
/** May change with every deployment: revalidated on each request by ETag. */
const REVALIDATED = 'public, no-cache';
const KEPT_AN_HOUR = 'public, max-age=3600';
/** The page runs its own scripts only, and calls its own origin only. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the API description of this deployment and the page that shows it. */
export class ApiDescription {
  readonly #assets: AssetFolder;
  readonly #deployed: Deployed;
  readonly #served = new Map<string, Promise<ServedFile | undefined>>();

  constructor(assets: AssetFolder, deployed: Deployed) {
    this.#assets = assets;
    this.#deployed = deployed;
  }

  /** The OpenAPI document, of the modules that are switched on. */
  async document(headers: Headers): Promise<Reply> {
    const file = await this.#once('openapi.json', () => this.#readDocument());
    if (!file) throw new Error('The function has no openapi.json: it was bundled without it.');
    return reply(file, headers, { 'cache-control': REVALIDATED });
  }

  /** The reference page. */
  async page(headers: Headers): Promise<Reply> {
    const file = await this.#reference('index.html');
    return reply(file, headers, {
      'cache-control': REVALIDATED,
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
    });
  }

  /**
   * A file of the reference page.
   * @throws Problem `ROUTE_NOT_FOUND` (404)
   */
  async file(name: string, headers: Headers): Promise<Reply> {
    return reply(await this.#reference(name), headers, { 'cache-control': KEPT_AN_HOUR });
  }

  async #reference(name: string): Promise<ServedFile> {
    const file = await this.#once(name, () => this.#readFile(name));
    if (!file) {
      throw httpProblems.routeNotFound({ method: 'GET', path: `/api/v1/reference/${name}` });
    }
    return file;
  }

  #once(
    name: string,
    read: () => Promise<ServedFile | undefined>,
  ): Promise<ServedFile | undefined> {
    const served = this.#served.get(name) ?? read();
    this.#served.set(name, served);
    return served;
  }

  async #readDocument(): Promise<ServedFile | undefined> {
    const bytes = await this.#assets.read('openapi.json');
    if (!bytes) return undefined;
    const whole = JSON.parse(bytes.toString('utf8')) as OpenApiDocument;
    const text = JSON.stringify(tailorApi(whole, this.#deployed));
    return toServed('application/json', await promisify(gzip)(text), true);
  }

  /** Texts are stored compressed in the folder. */
  async #readFile(name: string): Promise<ServedFile | undefined> {
    const contentType = CONTENT_TYPES[extname(name)];
    if (!contentType) return undefined;
    const compressed = await this.#assets.read(`reference/${name}.gz`);
    if (compressed) return toServed(contentType, compressed, true);
    const plain = await this.#assets.read(`reference/${name}`);
    return plain && toServed(contentType, plain, false);
  }
}

function toServed(contentType: string, bytes: Buffer, isCompressed: boolean): ServedFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { contentType, bytes, isCompressed, etag };
}

async function reply(
  { contentType, bytes, isCompressed, etag }: ServedFile,
  headers: Headers,
  more: Readonly<Record<string, string>>,
): Promise<Reply> {
  const common = { ...more, etag, vary: 'accept-encoding' };
  if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: common };
  const body = { ...common, 'content-type': contentType };
  if (!isCompressed) return { status: 200, body: bytes, headers: body };
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding'] ?? '')) {
    return { status: 200, body: await promisify(gunzip)(bytes), headers: body };
  }
  return { status: 200, body: bytes, headers: { ...body, 'content-encoding': 'gzip' } };
}
