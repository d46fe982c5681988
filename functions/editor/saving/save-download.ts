import type { HttpClient } from '../../../shared/http-client/contract.ts';
import { HttpClientError } from '../../../shared/http-client/http-client-error.ts';
import { problems } from '../errors.ts';
import type { SaveSink } from './save-sink.ts';

interface DownloadDependencies {
  readonly http: () => Promise<HttpClient>;
  readonly docs: { readonly maxFileSize: number };
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

  /** @throws Problem `DOCS_SAVE_TOO_LARGE` (413), `DOCS_SAVE_UNAVAILABLE` (503) */
  async fetch(address: string, sink: SaveSink): Promise<void> {
    const { http, docs } = this.#deps;
    const limits = { maxBytes: docs.maxFileSize, totalTimeoutMs: DOWNLOAD_MS };
    try {
      await (await http()).download(address, sink.writable(), limits);
    } catch (cause) {
      if (!(cause instanceof HttpClientError)) throw cause;
      if (cause.code === 'TOO_LARGE') throw problems.saveTooLarge({ maxBytes: docs.maxFileSize });
      throw problems.saveNotPossible({ cause });
    }
  }

  /** The packed changes of a document; `undefined` when they are not to be had, or are none. */
  async changes(address: string): Promise<Uint8Array | undefined> {
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
