import { createHash } from 'node:crypto';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { exists } from '../../../shared/store/conditions.ts';
import type { Condition, Item, Key, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/*
 * Access patterns
 *   what was begun and has not ended, oldest first   query  DYN_OPEN_WORK#<0..7> / <instant>#<token>
 *   one of it                                        get
 */
const LANES = 8;
const laneOf = (name: string): number =>
  (createHash('sha256').update(name).digest()[0] ?? 0) % LANES;
const partition = (lane: number): string => `DYN_OPEN_WORK#${lane}`;
const keyOf = (name: string): Key => ({ pk: partition(laneOf(name)), sk: name });

/*
 * The name of work is `<instant>#<token>`, with `#tree` behind it when a record is deleted with everything below it. It
 * is the mark of the records that the work deletes, too.
 */
const OF_TREE = '#tree';

/** Whether a mark is that of a deletion of a whole subtree, which nothing may change meanwhile. */
export const isOfTree = (mark: string): boolean => mark.endsWith(OF_TREE);

/** The unique part of a name: also the id of the job that may take the deletion over. */
export const tokenOf = (name: string): string => name.split('#')[1] ?? '';

/** What a call was asked to delete with everything below it. */
export interface SubtreeDeletion {
  readonly id: string;
  /** Of every record of the subtree. */
  readonly mark: string;
  readonly purge: boolean;
  readonly principal: Principal;
}

/** Work that has to come to an end whatever happens to the call that has begun it. */
export type Work =
  /** A record is marked. */
  | { readonly kind: 'MARK'; readonly entity: string; readonly id: string }
  /** A record goes to the trash in order to be deleted for good, in this version. */
  | {
      readonly kind: 'PURGE';
      readonly entity: string;
      readonly id: string;
      readonly version: number;
      readonly principal: Principal;
    }
  /** A subtree is marked, or going. */
  | { readonly kind: 'SUBTREE'; readonly entity: string; readonly deletion: SubtreeDeletion }
  /** Objects of a record that it does not need any more, or not yet; its history when it is gone. */
  | {
      readonly kind: 'ERASE';
      readonly entity: string;
      readonly id: string;
      readonly objects: readonly string[];
      readonly isGone: boolean;
      /** Files of a record that is gone; a transaction may not hold them all. */
      readonly files?: readonly string[];
    };

/** Work with its name. */
export type NamedWork = Work & {
  readonly name: string;
  /** Whether it must be completed rather than undone. */
  readonly isDecided: boolean;
};

type WorkItem = Item & { readonly work: Work; readonly decided?: boolean };

/** Longer than any invocation lasts. */
const GRACE_MS = 300_000;
const MAX_DUE = 25;

/** Work that no sweep has taken. */
const isFree: Condition = {
  expression: 'attribute_exists(pk) AND attribute_not_exists(taken)',
};

class TakenByAnother extends Error {}

export interface OpenWorkDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** What was begun and has to end: written with the change that begins it, deleted with the one that ends it. */
export class OpenWork {
  readonly #deps: OpenWorkDependencies;

  constructor(dependencies: OpenWorkDependencies) {
    this.#deps = dependencies;
  }

  /** A name for new work, which is the mark of records that are being deleted, too. */
  newName({
    isOfTree = false,
    at,
  }: {
    readonly isOfTree?: boolean;
    /** When the work is begun; default: now. */
    readonly at?: string;
  } = {}): string {
    const { clock, ids } = this.#deps;
    return `${at ?? toInstant(clock.now())}#${ids()}${isOfTree ? OF_TREE : ''}`;
  }

  stage(unit: UnitOfWork, name: string, work: Work): void {
    unit.put({ ...keyOf(name), type: 'DYN_OPEN_WORK', work });
  }

  /** Writes work before the change that it precedes. */
  async write(name: string, work: Work): Promise<void> {
    await this.#deps.batchWrite({ puts: [{ ...keyOf(name), type: 'DYN_OPEN_WORK', work }] });
  }

  /** Stages that the work can only be completed, not undone, once the unit has committed. */
  stageDecided(unit: UnitOfWork, name: string): void {
    const update = { expression: 'SET decided = :yes', values: { ':yes': true } };
    unit.update(keyOf(name), update, { condition: exists, otherwise: 'retry' });
  }

  stageEnd(unit: UnitOfWork, name: string): void {
    unit.delete(keyOf(name));
  }

  /** Stages the end of work that the unit makes needless. The unit runs again when a sweep has taken the work. */
  stageNeedless(unit: UnitOfWork, name: string): void {
    unit.delete(keyOf(name), { condition: isFree, otherwise: 'retry' });
  }

  async end(name: string): Promise<void> {
    await this.#deps.batchWrite({ deletes: [keyOf(name)] });
  }

  /** Ends work if it is still of that kind: a purge becomes an erasure under the same name. */
  async endAs(name: string, kind: Work['kind']): Promise<void> {
    const condition: Condition = {
      expression: '#work.#kind = :kind',
      names: { '#work': 'work', '#kind': 'kind' },
      values: { ':kind': kind },
    };
    const otherwise = () => new TakenByAnother();
    await this.#unlessTaken((unit) => unit.delete(keyOf(name), { condition, otherwise }));
  }

  async isOpen(name: string): Promise<boolean> {
    return (await this.#deps.table.get(keyOf(name))) !== undefined;
  }

  /** Takes work, so that the change it precedes cannot happen any more. @returns `false` when that has happened */
  async take(name: string): Promise<boolean> {
    const taken = { expression: 'SET taken = :yes', values: { ':yes': true } };
    const otherwise = () => new TakenByAnother();
    return this.#unlessTaken((unit) =>
      unit.update(keyOf(name), taken, { condition: exists, otherwise }),
    );
  }

  async #unlessTaken(stage: (unit: UnitOfWork) => void): Promise<boolean> {
    try {
      await this.#deps.unitOfWork(async (unit) => stage(unit));
      return true;
    } catch (error) {
      if (error instanceof TakenByAnother) return false;
      throw error;
    }
  }

  /** Work whose call has ended without it, oldest first of each lane. */
  async due(): Promise<NamedWork[]> {
    const { table, clock } = this.#deps;
    const to = toInstant(clock.now() - GRACE_MS);
    const pages = await Promise.all(
      Array.from({ length: LANES }, (_, lane) =>
        table.query<WorkItem>({
          partition: partition(lane),
          between: { from: '0', to },
          limit: MAX_DUE,
          consistent: true,
        }),
      ),
    );
    return pages.flatMap(({ items }) =>
      items.map(({ sk, work, decided }) => ({ ...work, name: sk, isDecided: decided === true })),
    );
  }
}
