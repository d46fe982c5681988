import { createHash } from 'node:crypto';

interface ServedFile {
  readonly bytes: Uint8Array;
  readonly name: string;
}

const LIFE_S = 900;

/** Results that the platform downloads, at addresses with a checksum and an end. */
export class ServedFiles {
  readonly #files = new Map<string, ServedFile>();
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Keeps a file. @returns its path */
  keep(folder: string, name: string, bytes: Uint8Array): string {
    const path = `/cache/files/data/${folder}/${name}/${name}`;
    this.#files.set(path, { bytes, name });
    return path;
  }

  /** An address of a kept file; each call makes another checksum. */
  addressOf(path: string, base: string, nowS = Math.floor(Date.now() / 1_000)): string {
    const expires = nowS + LIFE_S;
    const nonce = Math.random().toString(36).slice(2);
    const query = new URLSearchParams({
      ...{ md5: this.#checksum(path, expires, nonce), expires: String(expires), nonce },
      ...{ filename: path.slice(path.lastIndexOf('/') + 1) },
    });
    return `${base}${path}?${query}`;
  }

  /** What an address names; the number is the status of a refusal. */
  find(path: string, query: URLSearchParams): Uint8Array | 403 | 404 | 410 {
    const expires = Number(query.get('expires'));
    const nonce = query.get('nonce') ?? '';
    if (query.get('md5') !== this.#checksum(path, expires, nonce)) return 403;
    if (expires * 1_000 < Date.now()) return 410;
    return this.#files.get(path)?.bytes ?? 404;
  }

  #checksum(path: string, expires: number, nonce: string): string {
    return createHash('md5').update(`${expires}${path}${nonce}${this.#secret}`).digest('base64url');
  }
}
