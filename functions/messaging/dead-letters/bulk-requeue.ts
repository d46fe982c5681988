import { keptError } from '../../../shared/messaging/wire/messaging-error.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { endsWithin } from '../../../shared/primitives/request-context.ts';
import type { DeadLetterFilter, DeadLetterRepository } from '../store/dead-letter-repository.ts';

/** Result of a bulk requeue. */
export interface RequeueReport {
  readonly requeued: number;
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  /** Whether more dead letters match than were processed. */
  readonly remaining: boolean;
  /** Goes on behind what this call has looked at and left; absent where the same call again does so. */
  readonly nextCursor?: string;
}

/** Which dead letters to requeue: named ones, or those that match. */
export type RequeueSelection =
  | { readonly ids: readonly string[] }
  | {
      readonly filter: DeadLetterFilter;
      readonly limit: number;
      readonly cursor?: string | undefined;
    };

export interface BulkRequeueDependencies {
  readonly repository: DeadLetterRepository;
  readonly clock: Clock;
  readonly log: Log;
}

interface Chosen {
  readonly ids: readonly string[];
  readonly remaining: boolean;
  /** Whether the call ended before it had found as many as it may take. */
  readonly isCut: boolean;
  readonly nextCursor?: string | undefined;
}

const PARALLEL = 8;
/** Pages that one call looks at; each holds 2000 dead letters, whether they match or not. */
const MAX_PAGES = 20;
/** Nothing is begun so shortly before the end of the function. */
const RESERVE_MS = 5_000;
const NOT_TRIED = 'MQ_NOT_TRIED';

/** Requeues many dead letters, one by one: those that fail or are no longer dead are skipped and listed. */
export class BulkRequeue {
  readonly #deps: BulkRequeueDependencies;

  constructor(dependencies: BulkRequeueDependencies) {
    this.#deps = dependencies;
  }

  async run(
    selection: RequeueSelection,
    requeue: (id: string) => Promise<void>,
  ): Promise<RequeueReport> {
    const chosen = await this.#choose(selection);
    const reasons = await mapLimited(chosen.ids, PARALLEL, (id) => this.#try(id, requeue));
    const skipped = chosen.ids.flatMap((id, index) => {
      const reason = reasons[index];
      return reason === undefined ? [] : [{ id, reason }];
    });
    const requeued = chosen.ids.length - skipped.length;
    if (reasons.includes(NOT_TRIED) && !('ids' in selection)) {
      const { cursor } = selection;
      return { requeued, skipped, remaining: true, ...(cursor && { nextCursor: cursor }) };
    }
    const { remaining, nextCursor, isCut } = chosen;
    const isAhead = nextCursor !== undefined && (isCut || skipped.length > 0);
    return { requeued, skipped, remaining, ...(isAhead && { nextCursor }) };
  }

  /** Walks on over dead letters that do not match: those that do may be the oldest. */
  async #choose(selection: RequeueSelection): Promise<Chosen> {
    if ('ids' in selection)
      return { ids: [...new Set(selection.ids)], remaining: false, isCut: false };
    const { filter, limit } = selection;
    const ids: string[] = [];
    let { cursor } = selection;
    for (let page = 0; page < MAX_PAGES && !this.#isTimeUp(); page += 1) {
      const found = await this.#deps.repository.list(filter, { size: limit, cursor });
      const wanted = found.content.slice(0, limit - ids.length);
      ids.push(...wanted.map(({ id }) => id));
      const isWhole = wanted.length === found.content.length;
      cursor = isWhole ? found.nextCursor : found.cursorAfter?.(wanted.length - 1);
      if (cursor === undefined) return { ids, remaining: false, isCut: false };
      if (ids.length === limit) return { ids, remaining: true, isCut: false, nextCursor: cursor };
    }
    return { ids, remaining: true, isCut: true, nextCursor: cursor };
  }

  async #try(id: string, requeue: (id: string) => Promise<void>): Promise<string | undefined> {
    if (this.#isTimeUp()) return NOT_TRIED;
    try {
      await requeue(id);
      return undefined;
    } catch (cause) {
      const { code } = keptError(cause);
      if (!code.startsWith('MQ_')) {
        this.#deps.log.error('A dead letter could not be requeued', { deadLetter: id, cause });
      }
      return code;
    }
  }

  #isTimeUp(): boolean {
    return endsWithin(RESERVE_MS, this.#deps.clock);
  }
}
