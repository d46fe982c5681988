import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import type { Key, StorableItem } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { FamilyContent } from '../../domain/cases/family.ts';
import type { FamilyChange } from '../../domain/cases/family-change.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { changedTaskKey, stateKey, workKey } from '../case-keys.ts';
import { headItem } from '../cases/case-items.ts';
import { type Packed, packedIn } from '../packed.ts';
import { readTasks } from '../tasks/task-items.ts';
import {
  type BusinessKeyTaken,
  claimMoves,
  leftClaims,
  stageClaims,
} from './business-key-claims.ts';
import type { CaseObjects } from './case-objects.ts';
import { type ChangeRows, type PackedParts, rowsOf } from './change-rows.ts';
import type { StoredFamily } from './family-store.ts';
import { KnownGroups } from './known-groups.ts';
import type { RestRunner } from './rest-runner.ts';
import { type RowWrite, weightOf } from './row-writes.ts';
import { type StagingDependencies, stageWrites } from './stage-writes.ts';

export interface FamilyWriterDependencies extends StagingDependencies {
  readonly objects: CaseObjects;
  readonly rests: RestRunner;
}

interface StagingOptions {
  readonly taken: BusinessKeyTaken;
  /** Tasks that the change may end, as far as they have been read already. */
  readonly tasks?: readonly TaskRecord[] | undefined;
  /** Writes of the unit that are not of the case, such as those of a business record. */
  readonly besides?: number | undefined;
}

interface RowsOptions {
  readonly known: readonly TaskRecord[];
  readonly room: number;
  readonly released?: readonly Key[];
}

type RowsOfChange = Pick<ChangeRows, 'writes' | 'closings'>;

/** Writes of one transaction, with room for the state, heads, messages and what callers add. */
const ROOM = 60;
/** Writes of one chunk of a rest. */
const CHUNK = 90;
/** Bytes of the writes of one transaction: an item has up to 300 KB, and 4 MB is the limit. */
const ROOM_BYTES = 2_000_000;
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
    { taken, tasks = [], besides = 0 }: StagingOptions,
  ): Promise<void> {
    const claims = claimMoves(change.heads, taken);
    const takenClaims = claims.filter(({ to }) => to).length;
    const left = Math.max(0, ROOM + MAX_ABSORBED - besides - takenClaims);
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
    const room = left - absorbed.length;
    const released = leftClaims(claims);
    await this.stageRows(unit, familyId, change, { known: tasks, room, released });
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
    { known, room, released = [] }: RowsOptions,
  ): Promise<void> {
    const ending = await this.#ending(change, known);
    const { groups, writes, closings } = rowsOf(change, await this.#pack(unit, change), ending);
    const fresh = this.#groups.unknown(groups);
    const most = Math.min(MAX_GROUPS, room);
    this.#stageGroups(unit, fresh.slice(0, most));
    const beside = [...fresh.slice(most).map(put), ...released.map(remove)];
    const rows = { writes: [...beside, ...writes], closings };
    const all = inOneGo(rows);
    if (fits(all, room - Math.min(fresh.length, most))) {
      await stageWrites(unit, all, this.#deps, ending);
    } else {
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

  /** Everything of the change that may be large. */
  async #pack(unit: UnitOfWork, change: FamilyChange): Promise<PackedParts> {
    const { objects } = this.#deps;
    const families: StorableItem[] = [];
    for (const [id, content] of change.apart) {
      families.push(stateItem(id, 1, await objects.pack(unit, content, `${id}/state`)));
    }
    const history: Packed[] = [];
    for (const { caseInstanceId, changes } of change.history) {
      history.push(await objects.pack(unit, changes, `${caseInstanceId}/history`));
    }
    const ended: Packed[] = [];
    for (const { caseInstanceId, instance } of change.ended) {
      ended.push(await objects.pack(unit, instance, `${caseInstanceId}/ended`));
    }
    const works = new Map<string, Packed>();
    for (const work of change.works.values()) {
      if ('isWithdrawn' in work) continue;
      works.set(work.id, await objects.pack(unit, work.variables, `${work.caseInstanceId}/work`));
    }
    const processes: Packed[] = [];
    for (const call of change.processes) {
      const variables = call.step === 'start' ? call.variables : {};
      processes.push(await objects.pack(unit, variables, `${call.processInstanceId}/call`));
    }
    return { families, history, ended, works, processes };
  }
}

const stateItem = (familyId: string, version: number, packed: Packed): StorableItem => ({
  ...stateKey(familyId),
  type: 'case_family',
  version,
  ...packed,
});

const fits = (writes: readonly RowWrite[], room: number): boolean =>
  writes.reduce((sum, write) => sum + weightOf(write), 0) <= Math.min(ROOM, room) &&
  writes.reduce((sum, write) => sum + bytesOf(write), 0) <= ROOM_BYTES;

const put = (key: Key): RowWrite => ({ kind: 'put', item: { ...key } });
const remove = (key: Key): RowWrite => ({ kind: 'delete', key });

const inOneGo = ({ writes, closings }: RowsOfChange): RowWrite[] => [
  ...writes,
  ...closings.flatMap(({ taskId, closing, rows }): RowWrite[] => [
    { kind: 'close', taskId, closing },
    { kind: 'unlist', taskId, from: 0, count: rows },
  ]),
];

/** Tasks are ended first; whoever reads a task as ended may delete its rows, as often as they are read. */
function inChunks({ writes, closings }: RowsOfChange): RowWrite[][] {
  const ending = closings.map(
    ({ taskId, closing }): RowWrite => ({ kind: 'close', taskId, closing }),
  );
  const deleting = closings.flatMap(({ taskId, rows }) => unlisted(taskId, rows));
  const chunks: RowWrite[][] = [];
  for (const part of [ending, [...deleting, ...writes]]) chunks.push(...packChunks(part));
  return chunks;
}

function unlisted(taskId: string, rows: number): RowWrite[] {
  const parts: RowWrite[] = [];
  for (let from = 0; from < rows; from += CHUNK) {
    parts.push({ kind: 'unlist', taskId, from, count: Math.min(CHUNK, rows - from) });
  }
  return parts;
}

function packChunks(writes: readonly RowWrite[]): RowWrite[][] {
  const chunks: RowWrite[][] = [];
  let weight = CHUNK;
  let bytes = 0;
  for (const write of writes) {
    const size = bytesOf(write);
    if (weight + weightOf(write) > CHUNK || bytes + size > ROOM_BYTES) {
      chunks.push([]);
      weight = 0;
      bytes = 0;
    }
    chunks.at(-1)?.push(write);
    weight += weightOf(write);
    bytes += size;
  }
  return chunks;
}

/** About how many bytes a write takes in a transaction. */
function bytesOf(write: RowWrite): number {
  if (write.kind === 'announce') return Buffer.byteLength(JSON.stringify(write.announcement));
  if (write.kind !== 'put') return 500;
  const { zip } = write.item;
  const binary = zip instanceof Uint8Array ? zip.length * 1.4 : 0;
  return binary + Buffer.byteLength(JSON.stringify({ ...write.item, zip: undefined }));
}
