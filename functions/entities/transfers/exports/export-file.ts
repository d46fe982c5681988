import type { EntityModel } from '../../domain/definitions/model.ts';
import type { RecordHeader } from '../../domain/entity/record.ts';
import { toFlat } from '../../domain/records/present.ts';
import type { Stretch } from '../../domain/search/long/stretches.ts';
import { columnsOf, withColumns } from '../../domain/transfer/columns.ts';
import type { Expansion } from './expansion.ts';
import type { ExportScope } from './export-scope.ts';

/** Loaded for files of that format. */
const csv = () => import('../../../../shared/csv/csv.ts');

/** Form of an exported file. */
export type TransferFormat = 'csv' | 'json' | 'ndjson';

export interface ExportRequest extends ExportScope {
  readonly format: TransferFormat;
  readonly fields: readonly string[] | null;
  /** Columns that the file has begun with. They stay when the definition changes. */
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
  /** Place in the walk over the records where the next text goes on. */
  readonly after: string | undefined;
  /** Whether no record follows. */
  readonly isEnd: boolean;
}

/** Fields that an export asks for and may show; all when there is no list. */
export const exported = ({
  fields,
  visible,
}: Pick<ExportRequest, 'fields' | 'visible'>): readonly string[] | undefined =>
  (fields ?? visible ?? undefined)?.filter((code) => visible?.includes(code) ?? true);

/** The text of an exported file, piece by piece. */
export class ExportFile {
  readonly #format: TransferFormat;
  /** Columns that may be shown now; cells of the others stay empty. */
  readonly #shown: ReadonlySet<string>;
  readonly columns: readonly string[];
  readonly #expansion: Expansion | undefined;
  /** Encrypted fields that were asked for: no file holds them. */
  readonly leftOut: readonly string[];

  constructor(
    model: EntityModel,
    { format, columns, ...request }: Omit<ExportRequest, 'filter'>,
    expansion?: Expansion,
  ) {
    const shown = exported(request);
    const current = columnsOf(model, shown);
    this.#format = format;
    const all = format === 'csv' && expansion ? expansion.columns(current) : current;
    this.#expansion = expansion;
    this.#shown = new Set(all);
    this.columns = columns ?? all;
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
    const own = headers.map((header) => toFlat(model, header));
    const isTable = this.#format === 'csv';
    const full = isTable ? this.#expansion?.cells(own) : this.#expansion?.records(own);
    const records = ((await full) ?? own).map((record) => withColumns(record, shown));
    if (isTable) {
      const rows = records.map((record) => this.columns.map((column) => record[column]));
      return (await csv()).csvLines(rows);
    }
    const lines = records.map((record) => JSON.stringify(record));
    return this.#format === 'ndjson'
      ? `${lines.join('\n')}\n`
      : (isFirst ? '' : ',\n') + lines.join(',\n');
  }
}
