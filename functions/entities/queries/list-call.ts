import type { CutPage } from '../../../shared/http/paging.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import type { RecordHeader } from '../domain/entity/record.ts';

/** Parameters of a list call as they came, those of the schema already read. */
export interface ListCall {
  readonly page?: number | undefined;
  readonly size: number;
  readonly cursor?: string | undefined;
  readonly count?: 'auto' | 'exact' | 'none' | undefined;
  readonly deleted?: 'exclude' | 'only' | undefined;
  readonly consistent?: boolean | undefined;
  readonly explain?: boolean | undefined;
  /** Only records whose field refers to another one. */
  readonly within?: { readonly field: string; readonly id: string };
  /** Every parameter, filters included. */
  readonly parameters: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The records of a page and what is known of the whole list. */
export interface ListOutcome {
  readonly page: CutPage<RecordHeader> & ListFacts;
  readonly grant: RecordGrant;
}

/** Members of a list of records beside the common ones. */
export interface ListFacts {
  /** Leads to the page before; `null` on the first. */
  readonly prevCursor: string | null;
  readonly sort: readonly string[];
  /** `false`: the work limit of one request was reached; `nextCursor` continues. */
  readonly complete: boolean;
  readonly warnings?: readonly string[];
  readonly explain?: Readonly<Record<string, unknown>>;
}
