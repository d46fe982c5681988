import { type PageRequest, type ReadPage, readPage } from '../../../../shared/store/paged-read.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { CaseHead } from '../../domain/cases/case-facts.ts';
import type { HistoryChange, HistoryEntry } from '../../domain/cases/history.ts';
import {
  businessKeyPartition,
  casePartition,
  ENDED,
  ENDED_MILESTONE,
  HISTORY,
  headKey,
} from '../case-keys.ts';
import { MissingObjectError, type Packer, packedIn } from '../packed.ts';
import { toHead } from './case-items.ts';

/** A plan item instance that has ended. */
export interface EndedPlanItem {
  readonly id: string;
  readonly planItemId: string;
  readonly definitionKey: string;
  readonly definitionType: string;
  readonly name: string;
  readonly state: string;
  readonly stageInstanceId?: string;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Which of its repetition it was, from 1. */
  readonly repetitionCounter?: number;
  readonly childCaseInstanceId?: string;
}

type EndedItem = Item & Omit<EndedPlanItem, 'id'>;
type HistoryItem = Item & Omit<HistoryEntry, 'changes' | 'id' | 'caseInstanceId'>;

/** What cases leave behind: history and ended plan items; and their heads. */
export class CaseRecords {
  readonly #table: Table;
  readonly #packer: Packer;

  constructor({ table, packer }: { table: Table; packer: Packer }) {
    this.#table = table;
    this.#packer = packer;
  }

  async heads(ids: readonly string[]): Promise<CaseHead[]> {
    if (ids.length === 0) return [];
    return (await this.#table.getMany(ids.map(headKey))).map(toHead);
  }

  /** Heads of the newest cases of a business key, of any workflow. */
  async ofBusinessKey(tenant: string, businessKey: string, most: number): Promise<CaseHead[]> {
    const partition = businessKeyPartition(tenant, businessKey);
    const { items } = await this.#table.query<Key>({
      ...{ partition, limit: most, reverse: true, consistent: true },
    });
    return this.heads(items.map(({ sk }) => sk.slice(sk.lastIndexOf('#') + 1)));
  }

  /**
   * Newest first.
   * @param require throws when the case is not there; asked again when an object is gone, which only an erasure takes
   */
  async history(
    caseId: string,
    page: PageRequest,
    require: () => Promise<unknown>,
  ): Promise<ReadPage<HistoryEntry>> {
    await require();
    try {
      return await this.#history(caseId, page);
    } catch (cause) {
      if (cause instanceof MissingObjectError) await require();
      throw cause;
    }
  }

  async #history(caseId: string, page: PageRequest): Promise<ReadPage<HistoryEntry>> {
    const query = { partition: casePartition(caseId), beginsWith: HISTORY, reverse: true };
    const found = await readPage<HistoryItem>(this.#table, { ...query, consistent: true }, page, [
      'case history',
      caseId,
    ]);
    const content = await Promise.all(
      found.content.map(async (item): Promise<HistoryEntry> => {
        const changes = (await this.#packer.unpack(packedIn(item))) as HistoryChange[];
        const { at, by, command } = item;
        return {
          caseInstanceId: caseId,
          id: item.sk.slice(HISTORY.length),
          at,
          by,
          command,
          changes,
        };
      }),
    );
    return { ...found, content };
  }

  async ended(caseId: string, page: PageRequest): Promise<ReadPage<EndedPlanItem>> {
    const query = { partition: casePartition(caseId), beginsWith: ENDED, consistent: true };
    const found = await readPage<EndedItem>(this.#table, query, page, ['ended', caseId]);
    return { ...found, content: found.content.map(toEnded) };
  }

  /** Milestones that were reached, oldest first. */
  async milestones(caseId: string, limit: number): Promise<EndedPlanItem[]> {
    const { items } = await this.#table.query<EndedItem>({
      partition: casePartition(caseId),
      beginsWith: ENDED_MILESTONE,
      limit,
      consistent: true,
    });
    return items.map(toEnded);
  }
}

function toEnded({ sk, definitionKey, definitionType, name, ...item }: EndedItem): EndedPlanItem {
  const { planItemId, state, stageInstanceId, createdAt, startedAt, endedAt } = item;
  return {
    id: sk.slice(ENDED_MILESTONE.length),
    ...{ planItemId, definitionKey, definitionType, name, state, stageInstanceId },
    ...{ createdAt, startedAt, endedAt },
    repetitionCounter: item.repetitionCounter,
    childCaseInstanceId: item.childCaseInstanceId,
  };
}
