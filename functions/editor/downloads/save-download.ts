import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { HttpClient } from '../../../shared/http-client/contract.ts';
import { HttpClientError } from '../../../shared/http-client/http-client-error.ts';
import { downloadAddress } from '../domain/download-address.ts';
import { problems } from '../errors.ts';
import type { SaveSink } from './save-sink.ts';

interface DownloadDependencies {
  readonly http: () => Promise<HttpClient>;
  readonly docs: {
    readonly maxFileSize: number;
    readonly documentServerUrl?: string | undefined;
    readonly documentServerInternalUrl?: string | undefined;
    readonly allowedDownloadOrigins: readonly string[];
  };
}

/** Longest time of a download: the rest of a call stores it (ms). */
const DOWNLOAD_MS = 20_000;
/** Limits of the changes that go with a document: a browser gets them in one answer. */
const CHANGES_MS = 8_000;
const MAX_CHANGES_BYTES = 4 * 1_024 * 1_024;

/** Fetches what the editing server has saved. */
export class SaveDownload {
  readonly #deps: DownloadDependencies;

  constructor(dependencies: DownloadDependencies) {
    this.#deps = dependencies;
  }

  /** Where a save is fetched from, always the editing server. @throws Problem `DOCS_CALLBACK_INVALID` (400) */
  addressOf(url: string): string {
    const address = this.#pinned(url);
    if (address !== undefined) return address;
    throw problems.callbackInvalid({ reason: 'url is none of the editing server' });
  }

  #pinned(url: string): string | undefined {
    const { documentServerUrl = '', ...docs } = this.#deps.docs;
    const { documentServerInternalUrl: internalUrl, allowedDownloadOrigins: others } = docs;
    return downloadAddress(url, { documentServerUrl, internalUrl, others });
  }

  /** @throws Problem `DOCS_SAVE_TOO_LARGE` (413), `DOCS_SAVE_UNAVAILABLE` (503) */
  async fetch(address: string, sink: SaveSink): Promise<void> {
    await this.#download(address, sink.writable());
  }

  /** SHA-256 in hexadecimal of what is at an address now. @throws Problem as `fetch` */
  async hashOf(address: string): Promise<string> {
    const hash = createHash('sha256');
    const writer = new Writable({
      write(chunk: Buffer, _, done) {
        hash.update(chunk);
        done();
      },
    });
    await this.#download(address, writer);
    return hash.digest('hex');
  }

  async #download(address: string, writer: Writable): Promise<void> {
    const { http, docs } = this.#deps;
    const limits = { maxBytes: docs.maxFileSize, totalTimeoutMs: DOWNLOAD_MS };
    try {
      const { status } = await (await http()).download(address, writer, limits);
      // A part, or what some server in between has made of it, is no document.
      if (status !== 200) throw problems.saveNotPossible({ detail: 'A whole file was expected.' });
    } catch (cause) {
      if (!(cause instanceof HttpClientError)) throw cause;
      if (cause.code === 'TOO_LARGE') throw problems.saveTooLarge({ maxBytes: docs.maxFileSize });
      throw problems.saveNotPossible({ cause });
    }
  }

  /** The packed changes of a document; `undefined` when they are not to be had, or are none. */
  async changes(url: string): Promise<Uint8Array | undefined> {
    const address = this.#pinned(url);
    if (address === undefined) return undefined;
    const limits = { maxBytes: MAX_CHANGES_BYTES, totalTimeoutMs: CHANGES_MS };
    try {
      const { status, body } = await (await this.#deps.http()).request(address, limits);
      const isPacked = status === 200 && body.subarray(0, 2).toString('latin1') === 'PK';
      return isPacked ? body : undefined;
    } catch (error) {
      if (error instanceof HttpClientError) return undefined;
      throw error;
    }
  }
}
