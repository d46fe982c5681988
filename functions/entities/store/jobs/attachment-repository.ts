import { linkSeconds } from '../../../../shared/files/link-seconds.ts';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { Owner } from '../../../../shared/security/principal.ts';
import type { WriteGuard } from '../../../../shared/store/commit-writes.ts';
import { exists } from '../../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { fileKey } from '../record-items.ts';

/*
 * Access patterns
 *   an announced file    get   DYN_FILE#<id> / F
 *   a file of a record   get   DYN_RECORD#<e>#<record> / DYN_FILE#<id>
 */
const announcedKey = (id: string): Key => ({ pk: `DYN_FILE#${id}`, sk: 'F' });

/** A file of a record, or one that was announced for it. */
export interface Attachment extends Owner {
  readonly id: string;
  readonly entity: string;
  /** Id of its definition: another entity of the code may follow. Files of earlier versions lack it. */
  readonly entityId?: string;
  readonly field: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly createdAt: string;
  /** Until then a record has to refer to it. */
  readonly expiresAt: string;
  /** Name of the work that deletes the file if no record refers to it by then. */
  readonly work: string;
}

type FileItem = Item & { readonly file: Attachment };

/** Where the content of a file is. */
export const objectOf = ({ entity, id }: Pick<Attachment, 'entity' | 'id'>): string =>
  `entities/attachments/${entity}/${id}`;

/** When the last upload link that is given out up to an instant (ms) has expired: until then the file may be uploaded again. */
export const afterLinks = (ms: number): string => toInstant(ms + linkSeconds() * 1_000);

/** Files that are announced, and those of records. */
export class AttachmentRepository {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, unitOfWork }: { table: Table; unitOfWork: RunUnitOfWork }) {
    this.#table = table;
    this.#unitOfWork = unitOfWork;
  }

  async announced(id: string): Promise<Attachment | undefined> {
    return (await this.#table.get<FileItem>(announcedKey(id)))?.file;
  }

  async ofRecord(entity: string, recordId: string, id: string): Promise<Attachment | undefined> {
    return (await this.#table.get<FileItem>(fileKey(entity, recordId, id)))?.file;
  }

  async add(file: Attachment): Promise<void> {
    const ttl = Math.floor(Date.parse(file.expiresAt) / 1_000) + 86_400;
    await this.#unitOfWork(async (unit) =>
      unit.put({ ...announcedKey(file.id), type: 'DYN_FILE', file, ttl }),
    );
  }

  /** Makes an announced file one of a record, and of no other. */
  stageTaken(
    unit: UnitOfWork,
    recordId: string,
    file: Attachment,
    otherwise: NonNullable<WriteGuard['otherwise']>,
  ): void {
    unit.delete(announcedKey(file.id), { condition: exists, otherwise });
    unit.put({ ...fileKey(file.entity, recordId, file.id), type: 'DYN_FILE', file });
  }

  stageGone(unit: UnitOfWork, entity: string, recordId: string, id: string): void {
    unit.delete(fileKey(entity, recordId, id));
  }
}
