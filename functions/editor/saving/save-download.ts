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
}
