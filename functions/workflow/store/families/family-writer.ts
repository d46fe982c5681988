import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import type { Key } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { FamilyContent } from '../../domain/cases/family.ts';
import type { FamilyChange } from '../../domain/cases/family-change.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { changedTaskKey, workKey } from '../case-keys.ts';
import { headItem } from '../cases/case-items.ts';
import type { StoredWork } from '../cases/row-search.ts';
import { packedIn } from '../packed.ts';
import { readTasks } from '../tasks/task-items.ts';
import {
  type BusinessKeyTaken,
  claimMoves,
  leftClaims,
  stageClaims,
} from './business-key-claims.ts';
import type { CaseObjects } from './case-objects.ts';
import { rowsOf } from './change-rows.ts';
import type { StoredFamily } from './family-store.ts';
import { KnownGroups } from './known-groups.ts';
import { packParts, stateItem } from './packed-parts.ts';
import type { RestRunner } from './rest-runner.ts';
import type { RowWrite } from './row-writes.ts';
import { type StagingDependencies, stageWrites } from './stage-writes.ts';
import { fits, inChunks, inOneGo, ROOM } from './write-chunks.ts';

export interface FamilyWriterDependencies extends StagingDependencies {
  readonly objects: CaseObjects;
  readonly rests: RestRunner;
}

interface StagingOptions {
  readonly taken: BusinessKeyTaken;
  /** Tasks that the change may end, as far as they have been read already. */
  readonly tasks?: readonly TaskRecord[] | undefined;
  /** External work that the change ends, as it was read: nobody else may have it by then. */
  readonly work?: LeasedItem | undefined;
  /** Writes of the unit that are not of the case, such as those of a business record. */
  readonly besides?: number | undefined;
}

type LeasedItem = Pick<StoredWork, 'id' | 'version'>;

interface RowsOptions {
  readonly known: readonly TaskRecord[];
  readonly work?: LeasedItem | undefined;
  readonly room: number;
  readonly released?: readonly Key[];
}

/** Groups that one command makes known. */
const MAX_GROUPS = 20;
/** Facts of tasks that one command makes needless; the others are needless after the next one. */
const MAX_ABSORBED = 20;

/** Stages what a command has changed: in its transaction, or, when that is too much, as a rest of it. */
export class FamilyWriter {
  readonly #deps: FamilyWriterDependencies;
  readonly #groups = new KnownGroups();

  constructor(dependencies: FamilyWriterDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stages the change on condition that the family is as it was read; the unit runs again otherwise.
   * @param before absent: the command has started the family
   */
  async stage(
    unit: UnitOfWork,
    before: StoredFamily | undefined,
    change: FamilyChange,
    { taken, tasks = [], besides = 0, work }: StagingOptions,
  ): Promise<void> {
    const claims = claimMoves(change.heads, taken);
    const takenClaims = claims.filter(({ to }) => to).length;
    const left = Math.max(0, ROOM + MAX_ABSORBED - besides - takenClaims - (work ? 1 : 0));
    const absorbed = before?.changedTasks.slice(0, Math.min(MAX_ABSORBED, left)) ?? [];
    const familyId = change.family.state.cases[0]?.familyId ?? '';
    await this.#stageState(unit, familyId, before, change.family);
    for (const { taskId, version } of absorbed) {
      const guard = { condition: versionIs(version), otherwise: 'retry' as const };
      unit.delete(changedTaskKey(familyId, taskId), guard);
    }
    stageClaims(unit, claims, taken);
    const own = change.heads.find(({ after }) => after.caseInstanceId === familyId);
    if (own) unit.put(headItem(own.after));
    await this.#stageWithdrawal(unit, change);
    if (work) {
      const guard = { condition: versionIs(work.version), otherwise: 'retry' as const };
      unit.delete(workKey(work.id), guard);
    }
    const room = left - absorbed.length;
    const released = leftClaims(claims);
    await this.stageRows(unit, familyId, change, { known: tasks, work, room, released });
  }

  /**
   * Stages the rows of a change, or, when they are more than there is room for, as a rest of the family.
   * @param known tasks that the change may end, as far as they have been read already
   * @param released items that are needed no more
   */
  async stageRows(
    unit: UnitOfWork,
    familyId: string,
    change: FamilyChange,
    { known, work, room, released = [] }: RowsOptions,
  ): Promise<void> {
    const ending = await this.#ending(change, known);
    const parts = await packParts(unit, this.#deps.objects, change);
    const { groups, places, writes, closings } = rowsOf(change, parts, ending);
    const fresh = this.#groups.unknown(groups);
    const most = Math.min(MAX_GROUPS, room);
    this.#stageGroups(unit, fresh.slice(0, most));
    const beside = [...fresh.slice(most).map(put), ...released.map(remove)];
    const others = work ? writes.filter((write) => !isEndOf(work, write)) : writes;
    const rows = { writes: [...beside, ...others], closings };
    const all = [...places, ...inOneGo(rows)];
    if (fits(all, room - Math.min(fresh.length, most))) {
      await stageWrites(unit, all, this.#deps, ending);
    } else {
      // Readers of the event find the case although the rest of its start is not yet written.
      await stageWrites(unit, places, this.#deps, []);
      await this.#stageKnownClosings(unit, change, known);
      await this.#deps.rests.stage(unit, familyId, inChunks(rows));
    }
  }

  /** In the transaction of the command also when the rest is apart: from its commit on they are known. */
  #stageGroups(unit: UnitOfWork, groups: readonly Key[]): void {
    if (groups.length === 0) return;
    for (const key of groups) unit.put({ ...key });
    unit.afterCommit(async () => this.#groups.add(groups));
  }

  /** Who has read a task ends it in their own transaction: nobody else may take it before the rest of it. */
  #stageKnownClosings(
    unit: UnitOfWork,
    { closed }: FamilyChange,
    known: readonly TaskRecord[],
  ): Promise<void> {
    const writes = known.flatMap(({ taskId }): RowWrite[] => {
      const closing = closed.get(taskId);
      return closing ? [{ kind: 'close', taskId, closing }] : [];
    });
    return stageWrites(unit, writes, this.#deps, known);
  }

  /** The tasks that a change ends. */
  async #ending({ closed }: FamilyChange, known: readonly TaskRecord[]): Promise<TaskRecord[]> {
    const ending = known.filter(({ taskId }) => closed.has(taskId));
    const others = new Set(closed.keys()).difference(new Set(ending.map(({ taskId }) => taskId)));
    return [...ending, ...(await readTasks(this.#deps.table, [...others]))];
  }

  async #stageState(
    unit: UnitOfWork,
    familyId: string,
    before: StoredFamily | undefined,
    content: FamilyContent,
  ): Promise<void> {
    const { objects } = this.#deps;
    const packed = await objects.pack(unit, content, `${familyId}/state`);
    const version = before?.version ?? 0;
    unit.put(stateItem(familyId, version + 1, packed), {
      condition: version === 0 ? notExists : versionIs(version),
      otherwise: 'retry',
    });
    objects.release(unit, before?.place);
  }

  /** Objects of external work that is done with. */
  async #stageWithdrawal(unit: UnitOfWork, { works }: FamilyChange): Promise<void> {
    const { table, objects } = this.#deps;
    const gone = [...works.values()].filter((work) => 'isWithdrawn' in work);
    if (gone.length === 0) return;
    const items = await table.getMany(gone.map(({ id }) => workKey(id)));
    for (const item of items) objects.release(unit, packedIn(item));
  }
}

const isEndOf = ({ id }: LeasedItem, write: RowWrite): boolean =>
  write.kind === 'delete' && write.key.pk === workKey(id).pk;

const put = (key: Key): RowWrite => ({ kind: 'put', item: { ...key } });
const remove = (key: Key): RowWrite => ({ kind: 'delete', key });
