import type { EntityJob } from './job-service.ts';

/** Makes a link to an object of the bucket that works for some minutes without a token. */
export type SignLink = (object: string) => Promise<string>;

/** Says where the file of a finished job is. */
export class JobLinks {
  readonly #sign: SignLink;

  constructor(sign: SignLink) {
    this.#sign = sign;
  }

  /** The link of a finished export; none for other jobs. */
  async linkOf({ kind, state, result }: EntityJob): Promise<string | undefined> {
    if (kind !== 'EXPORT' || state !== 'DONE' || typeof result.object !== 'string')
      return undefined;
    return this.#sign(result.object);
  }
}
