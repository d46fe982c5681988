import { toInstant } from '../../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../../shared/primitives/fault-point.ts';
import { versionIs } from '../../../../shared/store/conditions.ts';
import type { Item } from '../../../../shared/store/table.ts';
import { apart, type UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { hasEnded, headOf } from '../../domain/cases/case-facts.ts';
import type { NamedInstance } from '../../domain/cmmn/index.ts';
import {
  businessKeyPartition,
  ENDED,
  ERASURES,
  erasureKey,
  headKey,
  startPlace,
  stateKey,
  statePartition,
} from '../case-keys.ts';
import { retentionKey } from '../cases/case-items.ts';
import {
  type ErasureMark,
  MarkedErasure,
  type MarkedErasureDependencies,
} from '../marked-erasure.ts';
import { MissingObjectError, packedIn } from '../packed.ts';
import type { FamilyStore, StoredFamily } from './family-store.ts';

export interface CaseErasureDependencies extends MarkedErasureDependencies {
  readonly families: FamilyStore;
}

interface CaseMark extends ErasureMark {
  readonly caseInstanceId: string;
  /** Whether the cases that it waited for go too. */
  readonly withCalled: boolean;
}

/** How a case is erased. */
export interface ErasureScope {
  /** Whether the cases that its case tasks waited for go too, as far as they have ended. */
  readonly withCalled: boolean;
}

/**
 * Erases cases that have ended. The first transaction takes the state, the head and the rows of lists, so that the case is
 * gone at once, and leaves a mark. What else there is of the case goes page by page.
 */
export class CaseErasure {
  readonly #deps: CaseErasureDependencies;
  readonly #left: MarkedErasure<CaseMark>;

  constructor(dependencies: CaseErasureDependencies) {
    this.#deps = dependencies;
    this.#left = new MarkedErasure(dependencies, {
      marks: ERASURES,
      idOf: ({ caseInstanceId }) => caseInstanceId,
      tasksIn: (items) => ended(items, 'humanTask').map(({ sk }) => idOf(sk)),
      beforePage: (items, mark) => this.#eraseCalled(items, mark),
      afterPage: () => faultPoint('workflow.after-erased-page'),
      failure: {
        message: 'What is left of a deleted case could not be removed',
        idName: 'caseInstanceId',
      },
    });
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
    const mark = { ...key, type: 'case_erasure', caseInstanceId: familyId, withCalled, place };
    unit.put(mark);
    unit.afterCommit(async () => {
      await this.#left.finish(mark);
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
  sweep(): Promise<number> {
    return this.#left.sweep();
  }

  async #eraseCalled(items: readonly Item[], { withCalled }: ErasureScope): Promise<void> {
    for (const item of withCalled ? ended(items, 'caseTask') : []) {
      const childId = await this.#calledBy(item);
      if (childId) await this.erase(childId, { withCalled });
    }
  }

  /** An interrupted run has erased the called cases of a page before its objects. */
  async #calledBy(item: Item): Promise<string | undefined> {
    try {
      const instance = (await this.#deps.packer.unpack(packedIn(item))) as NamedInstance;
      return instance.childCaseInstanceId;
    } catch (cause) {
      if (cause instanceof MissingObjectError) return undefined;
      throw cause;
    }
  }
}

/** Whether nothing of a family goes on. */
export const isOver = ({ state }: StoredFamily): boolean => state.cases.every(hasEnded);

const ended = (items: readonly Item[], definitionType: string): Item[] =>
  items.filter((item) => item.sk.startsWith(ENDED) && item.definitionType === definitionType);

/** The instance in the sort key of an ended plan item. */
const idOf = (sk: string): string => sk.slice(sk.lastIndexOf('#') + 1);
