import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../../shared/primitives/fault-point.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { mapLimited } from '../../../../shared/primitives/map-limited.ts';
import { requestContext } from '../../../../shared/primitives/request-context.ts';
import type { BatchWriter } from '../../../../shared/store/batch-writer.ts';
import { versionIs } from '../../../../shared/store/conditions.ts';
import { readAll } from '../../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import {
  apart,
  type RunUnitOfWork,
  type UnitOfWork,
} from '../../../../shared/store/unit-of-work.ts';
import { hasEnded, headOf } from '../../domain/cases/case-facts.ts';
import type { NamedInstance } from '../../domain/cmmn/index.ts';
import {
  businessKeyPartition,
  casePartition,
  ENDED,
  ERASURES,
  erasureKey,
  headKey,
  startPlace,
  stateKey,
  statePartition,
} from '../case-keys.ts';
import { retentionKey } from '../cases/case-items.ts';
import { type Packed, type Packer, packedIn } from '../packed.ts';
import { taskPartition } from '../task-keys.ts';
import type { FamilyStore, StoredFamily } from './family-store.ts';

export interface CaseErasureDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly batchWrite: BatchWriter;
  readonly families: FamilyStore;
  readonly packer: Packer;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** A case that is gone for everybody, and of which items are left. */
interface ErasureItem extends Item {
  readonly caseInstanceId: string;
  /** Whether the cases that it waited for go too. */
  readonly withCalled: boolean;
  /** Where its state was. */
  readonly place: Packed;
}

/** How a case is erased. */
export interface ErasureScope {
  /** Whether the cases that its case tasks waited for go too, as far as they have ended. */
  readonly withCalled: boolean;
}

/** A run may last as long as an invocation; then the sweep takes over (ms). */
const GRACE_MS = 60_000;
/** Time that is left of an invocation when its run stops (ms). */
const RESERVE_MS = 2_000;
const MAX_SWEPT = 50;
/** Items of a case that go at a time. */
const PAGE = 100;
const PARALLEL = 8;

/**
 * Erases cases that have ended. The first transaction takes the state, the head and the rows of lists, so that the case is
 * gone at once, and leaves a mark. What else there is of the case goes page by page; a page is found again until it is
 * gone, so a run that is interrupted is done over. The mark goes last.
 */
export class CaseErasure {
  readonly #deps: CaseErasureDependencies;

  constructor(dependencies: CaseErasureDependencies) {
    this.#deps = dependencies;
  }

  /** Stages the end of a case that has ended; the rest goes after the commit, as far as the invocation has time. */
  stage(
    unit: UnitOfWork,
    { state, facts, familyId, version, place }: StoredFamily,
    { withCalled }: ErasureScope,
  ): void {
    const [found] = state.cases;
    const known = facts[familyId];
    if (!found || !known) throw new Error(`Nothing is known of the case ${familyId}`);
    const head = headOf(found, known, familyId);
    const { tenantCode, businessKey } = head;
    const sk = startPlace(head);
    unit.delete(stateKey(familyId), { condition: versionIs(version), otherwise: 'retry' });
    unit.delete(headKey(familyId));
    unit.delete({ pk: statePartition(tenantCode, head.state), sk });
    if (businessKey !== undefined) {
      unit.delete({ pk: businessKeyPartition(tenantCode, businessKey), sk });
    }
    unit.delete(retentionKey(head, known.historyRetentionMs));
    const key = erasureKey(toInstant(this.#deps.clock.now()), familyId);
    const mark = { caseInstanceId: familyId, withCalled, place };
    unit.put({ ...key, type: 'case_erasure', ...mark });
    unit.afterCommit(async () => {
      await this.#finish({ ...key, type: 'case_erasure', ...mark });
    });
  }

  /**
   * Erases a case without a caller; one that has not ended, or is not there, is left alone.
   * @returns whether it is gone
   */
  erase(caseInstanceId: string, scope: ErasureScope): Promise<boolean> {
    const { unitOfWork, families } = this.#deps;
    return apart(() =>
      unitOfWork(async (unit) => {
        const family = await families.load(caseInstanceId);
        if (!family || !isOver(family)) return false;
        this.stage(unit, family, scope);
        return true;
      }),
    );
  }

  /** Goes on with what interrupted runs have left. @returns the number of cases */
  async sweep(): Promise<number> {
    const { table, clock, log } = this.#deps;
    const { items } = await table.query<ErasureItem>({
      partition: ERASURES,
      between: { from: '0', to: toInstant(clock.now() - GRACE_MS) },
      limit: MAX_SWEPT,
      consistent: true,
    });
    let done = 0;
    for (const mark of items) {
      try {
        if (await this.#finish(mark)) done += 1;
      } catch (cause) {
        const { caseInstanceId } = mark;
        log.error('What is left of a deleted case could not be removed', { caseInstanceId, cause });
      }
    }
    return done;
  }

  /** @returns whether nothing is left */
  #finish(mark: ErasureItem): Promise<boolean> {
    return apart(async () => {
      const { table, packer, unitOfWork } = this.#deps;
      for (;;) {
        if (this.#isLate()) return false;
        const partition = casePartition(mark.caseInstanceId);
        const { items } = await table.query({ partition, limit: PAGE, consistent: true });
        if (items.length === 0) break;
        await this.#erasePage(items, mark);
        faultPoint('workflow.after-erased-page');
      }
      await packer.discard(mark.place);
      await unitOfWork(async (unit) => unit.delete({ pk: mark.pk, sk: mark.sk }));
      return true;
    });
  }

  /** What an item leads to goes before the item. */
  async #erasePage(items: readonly Item[], { withCalled }: ErasureItem): Promise<void> {
    const { batchWrite, packer } = this.#deps;
    await mapLimited(ended(items, 'humanTask'), PARALLEL, async ({ sk }) => {
      const partition = taskPartition(idOf(sk));
      await batchWrite({ deletes: await readAll<Key>(this.#deps.table, { partition }) });
    });
    for (const item of withCalled ? ended(items, 'caseTask') : []) {
      const { childCaseInstanceId } = (await packer.unpack(packedIn(item))) as NamedInstance;
      if (childCaseInstanceId) await this.erase(childCaseInstanceId, { withCalled });
    }
    await mapLimited(items, PARALLEL, async ({ object }) => {
      if (typeof object === 'string') await packer.discard({ object });
    });
    await batchWrite({ deletes: items });
  }

  #isLate(): boolean {
    const { deadline } = requestContext();
    return deadline !== undefined && deadline - this.#deps.clock.now() < RESERVE_MS;
  }
}

/** Whether nothing of a family goes on. */
export const isOver = ({ state }: StoredFamily): boolean => state.cases.every(hasEnded);

const ended = (items: readonly Item[], definitionType: string): Item[] =>
  items.filter((item) => item.sk.startsWith(ENDED) && item.definitionType === definitionType);

/** The instance in the sort key of an ended plan item. */
const idOf = (sk: string): string => sk.slice(sk.lastIndexOf('#') + 1);
