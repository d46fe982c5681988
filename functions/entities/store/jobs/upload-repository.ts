import type { Owner } from '../../../../shared/security/principal.ts';
import { exists } from '../../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../../shared/store/unit-of-work.ts';

/*
 * Access patterns
 *   one upload   get   DYN_UPLOAD#<id> / U
 */
const uploadKey = (id: string): Key => ({ pk: `DYN_UPLOAD#${id}`, sk: 'U' });

/** A file that was announced for an import. */
export interface Upload extends Owner {
  readonly id: string;
  readonly entity: string;
  readonly format: 'csv' | 'json' | 'ndjson';
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly createdAt: string;
  /** Expiry of file and announcement. */
  readonly expiresAt: string;
  /** The job that imports it, once started. */
  readonly jobId?: string;
}

type UploadItem = Item & { readonly upload: Upload };

/** Uploads by id. */
export class UploadRepository {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, unitOfWork }: { table: Table; unitOfWork: RunUnitOfWork }) {
    this.#table = table;
    this.#unitOfWork = unitOfWork;
  }

  async find(id: string): Promise<Upload | undefined> {
    return (await this.#table.get<UploadItem>(uploadKey(id)))?.upload;
  }

  async add(upload: Upload): Promise<void> {
    await this.#unitOfWork(async (unit) => unit.put(toItem(upload)));
  }

  /** Takes an upload for a job; of two calls at once one is run again and finds it taken. */
  stageTaken(unit: UnitOfWork, upload: Upload, jobId: string): void {
    unit.put(toItem({ ...upload, jobId }), {
      condition: {
        expression: `${exists.expression} AND attribute_not_exists(#upload.#jobId)`,
        names: { '#upload': 'upload', '#jobId': 'jobId' },
      },
      otherwise: 'retry',
    });
  }
}

function toItem(upload: Upload): Item {
  return {
    ...uploadKey(upload.id),
    type: 'DYN_UPLOAD',
    upload,
    ttl: Math.floor(Date.parse(upload.expiresAt) / 1_000),
  };
}
