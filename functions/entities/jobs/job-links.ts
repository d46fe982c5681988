import type { Files } from '../../../shared/files/files.ts';
import type { EntityJob } from './job-service.ts';

/** Says where the file of a finished job is. */
export class JobLinks {
  readonly #files: Pick<Files, 'downloadLink'>;

  constructor(files: Pick<Files, 'downloadLink'>) {
    this.#files = files;
  }

  /** The link of a finished export, which works for some minutes without a token; none for other jobs. */
  async linkOf({
    kind,
    state,
    result,
    subject,
    createdAt,
  }: EntityJob): Promise<string | undefined> {
    const { object } = result;
    if (kind !== 'EXPORT' || state !== 'DONE' || typeof object !== 'string') return undefined;
    const extension = object.slice(object.lastIndexOf('.'));
    return this.#files.downloadLink(object, {
      fileName: `${subject}_${createdAt.slice(0, 19).replace(/\D/g, '')}${extension}`,
    });
  }
}
