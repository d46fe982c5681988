import { notExists } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { FileVersion } from '../domain/documents/template-file.ts';
import type { MergeField } from '../domain/fields/field.ts';
import { FILE_PREFIX, fieldsKey, fileKey } from './template-keys.ts';

type FileContent = Pick<FileVersion, 'found' | 'sections' | 'warnings'>;

interface FileItem extends Item {
  readonly file: Omit<FileVersion, keyof FileContent>;
  /** `FileContent` as JSON, which takes less room. */
  readonly content: string;
}

interface FieldsItem extends Item {
  readonly fields: string;
}

/** Largest text of declared fields: an item holds 400 KB. */
export const MAX_FIELDS_BYTES = 360_000;

/** Versions that an environment keeps in memory, those that were read last. */
const KEPT_VERSIONS = 50;

/** Stored versions of files, and declared merge fields. */
export class FileRepository {
  readonly #table: Table;
  /** A version never changes. */
  readonly #kept = new Map<string, FileVersion>();

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async find(templateId: string, fileVersion: number): Promise<FileVersion | undefined> {
    const name = `${templateId} ${fileVersion}`;
    const found = this.#kept.get(name) ?? (await this.#read(templateId, fileVersion));
    if (found) this.#keep(name, found);
    return found;
  }

  async #read(templateId: string, fileVersion: number): Promise<FileVersion | undefined> {
    const item = await this.#table.get<FileItem>(fileKey(templateId, fileVersion));
    return item && toFile(item);
  }

  #keep(name: string, version: FileVersion): void {
    this.#kept.delete(name);
    this.#kept.set(name, version);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_VERSIONS && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Newest first. */
  async list(templateId: string, page: PageRequest): Promise<ReadPage<FileVersion>> {
    const partition = fileKey(templateId, 0).pk;
    const query = { partition, beginsWith: FILE_PREFIX, reverse: true, consistent: true };
    const found = await readPage<FileItem>(this.#table, query, page, ['files', templateId]);
    return { ...found, content: found.content.map(toFile) };
  }

  stageNew(unit: UnitOfWork, templateId: string, version: FileVersion): void {
    const { found, sections, warnings, ...file } = version;
    const content = JSON.stringify({ found, sections, warnings });
    unit.put(
      { ...fileKey(templateId, file.fileVersion), type: 'TEMPLATE_FILE', file, content },
      { condition: notExists, otherwise: 'retry' },
    );
  }

  async fields(templateId: string): Promise<readonly MergeField[]> {
    const item = await this.#table.get<FieldsItem>(fieldsKey(templateId));
    return item ? (JSON.parse(item.fields) as MergeField[]) : [];
  }

  /** Stages the declared fields; the version of the template guards them. */
  stageFields(unit: UnitOfWork, templateId: string, fields: readonly MergeField[]): void {
    unit.put({
      ...fieldsKey(templateId),
      type: 'TEMPLATE_FIELDS',
      fields: JSON.stringify(fields),
    });
  }
}

const toFile = ({ file, content }: FileItem): FileVersion => ({
  ...file,
  ...(JSON.parse(content) as FileContent),
});
