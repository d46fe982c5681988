import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import type { Filter } from '../domain/query/filter.ts';
import { toFlat } from '../domain/records/present.ts';
import type { Stretch } from '../domain/search/follow.ts';
import { columnsOf } from '../domain/transfer/columns.ts';

/** Loaded for files of that format. */
const csv = () => import('../domain/transfer/csv.ts');

/** Form of an exported file. */
export type TransferFormat = 'csv' | 'json' | 'ndjson';

export interface ExportRequest {
  readonly format: TransferFormat;
  readonly filter: Filter;
  readonly fields: readonly string[] | null;
  /** Fields that the caller may see; all when there is no list. */
  readonly visible: readonly string[] | null;
}

export const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;

/** Text of a file and what it holds. */
export interface Written {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** Records in the file, those of earlier texts included. */
  readonly count: number;
  /** Candidate after which the next records follow. */
  readonly after: string | undefined;
  /** Whether no record follows. */
  readonly isEnd: boolean;
}

/** The text of an exported file, piece by piece. */
export class ExportFile {
  readonly #format: TransferFormat;
  readonly #columns: readonly string[];
  /** Encrypted fields that were asked for: no file holds them. */
  readonly leftOut: readonly string[];

  constructor(model: EntityModel, { format, fields, visible }: Omit<ExportRequest, 'filter'>) {
    const wanted = fields ?? visible ?? undefined;
    const shown = wanted?.filter((code) => visible?.includes(code) ?? true);
    this.#format = format;
    this.#columns = columnsOf(model, shown);
    this.leftOut = model.definition.fields
      .filter(
        ({ code, encrypted, writeOnly }) =>
          encrypted && !writeOnly && (shown?.includes(code) ?? true),
      )
      .map(({ code }) => code);
  }

  async head(): Promise<string> {
    if (this.#format === 'csv') return (await csv()).csvHead(this.#columns);
    return this.#format === 'json' ? '[' : '';
  }

  get tail(): string {
    return this.#format === 'json' ? ']' : '';
  }

  /** Appends the records of a walk to a text until `isFull`; the walk stays open. */
  async append(
    model: EntityModel,
    walk: AsyncIterator<Stretch>,
    begun: Omit<Written, 'isEnd'>,
    isFull: (bytes: number) => boolean,
  ): Promise<Written> {
    const chunks = [...begun.chunks];
    let { bytes, count, after } = begun;
    while (!isFull(bytes)) {
      const { value, done } = await walk.next();
      if (done) return { chunks, bytes, count, after, isEnd: true };
      const chunk = Buffer.from(await this.#textOf(model, value.records, count === 0));
      chunks.push(chunk);
      bytes += chunk.length;
      count += value.records.length;
      after = value.after;
    }
    return { chunks, bytes, count, after, isEnd: false };
  }

  async #textOf(
    model: EntityModel,
    headers: readonly RecordHeader[],
    isFirst: boolean,
  ): Promise<string> {
    if (headers.length === 0) return '';
    const records = headers.map((header) => pick(toFlat(model, header), this.#columns));
    if (this.#format === 'csv') return (await csv()).csvLines(records, this.#columns);
    const lines = records.map((record) => JSON.stringify(record));
    return this.#format === 'ndjson'
      ? `${lines.join('\n')}\n`
      : (isFirst ? '' : ',\n') + lines.join(',\n');
  }
}

function pick(record: FlatRecord, columns: readonly string[]): FlatRecord {
  return Object.fromEntries(
    columns.flatMap((column) => (record[column] === undefined ? [] : [[column, record[column]]])),
  ) as FlatRecord;
}
