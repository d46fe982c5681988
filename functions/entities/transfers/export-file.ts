import type { ExportScope } from '../access/export-scope.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import { toFlat } from '../domain/records/present.ts';
import type { Stretch } from '../domain/search/follow.ts';
import { columnsOf } from '../domain/transfer/columns.ts';

/** Loaded for files of that format. */
const csv = () => import('../../../shared/csv/csv.ts');

/** Form of an exported file. */
export type TransferFormat = 'csv' | 'json' | 'ndjson';

export interface ExportRequest extends ExportScope {
  readonly format: TransferFormat;
  readonly fields: readonly string[] | null;
  /** Columns that the file has begun with: they stay, whatever the definition becomes. */
  readonly columns?: readonly string[] | undefined;
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
  /** Columns that can be shown by now; cells of the others stay empty. */
  readonly #shown: ReadonlySet<string>;
  readonly columns: readonly string[];
  /** Encrypted fields that were asked for: no file holds them. */
  readonly leftOut: readonly string[];

  constructor(
    model: EntityModel,
    { format, fields, visible, columns }: Omit<ExportRequest, 'filter'>,
  ) {
    const wanted = fields ?? visible ?? undefined;
    const shown = wanted?.filter((code) => visible?.includes(code) ?? true);
    const current = columnsOf(model, shown);
    this.#format = format;
    this.#shown = new Set(current);
    this.columns = columns ?? current;
    this.leftOut = model.definition.fields
      .filter(
        ({ code, encrypted, writeOnly }) =>
          encrypted && !writeOnly && (shown?.includes(code) ?? true),
      )
      .map(({ code }) => code);
  }

  async head(): Promise<string> {
    if (this.#format === 'csv') return (await csv()).csvHead(this.columns);
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
    const shown = this.columns.filter((column) => this.#shown.has(column));
    const records = headers.map((header) => pick(toFlat(model, header), shown));
    if (this.#format === 'csv') {
      const rows = records.map((record) => this.columns.map((column) => record[column]));
      return (await csv()).csvLines(rows);
    }
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
