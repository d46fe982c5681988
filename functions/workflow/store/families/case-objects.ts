import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { exists, notExists } from '../../../../shared/store/conditions.ts';
import type { Condition, Item, Key, Table } from '../../../../shared/store/table.ts';
import {
  apart,
  type RunUnitOfWork,
  type UnitOfWork,
} from '../../../../shared/store/unit-of-work.ts';
import { OBJECTS, objectsKey } from '../case-keys.ts';
import { sweepDueRows } from '../due-rows.ts';
import type { Packed, Packer } from '../packed.ts';

export interface CaseObjectsDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly packer: Packer;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** Objects that a transaction may come to name, or that nothing names any more. */
interface ObjectsItem extends Item {
  readonly state: 'PENDING' | 'UNUSED';
  readonly objects: readonly string[];
}

/** The objects of one unit of work. */
interface UnitObjects {
  readonly key: Key;
  readonly written: string[];
  readonly released: string[];
}

/** Somebody has taken the objects for left over, or the transaction has them. */
class Settled extends Error {}

/** A process that has written objects has ended after this (ms), and has committed them or not. */
const GRACE_MS = 300_000;

/**
 * Values of cases that are too large for an item, in the bucket, which takes no part in transactions. A row names the objects of a
 * unit before they are written; its transaction deletes the row, on condition that nobody has taken them for left over. What a
 * transaction needs no more it names in such a row. So the sweep finds what a process has left that ended between two lines.
 */
export class CaseObjects {
  readonly #deps: CaseObjectsDependencies;
  readonly #units = new WeakMap<UnitOfWork, UnitObjects>();

  constructor(dependencies: CaseObjectsDependencies) {
    this.#deps = dependencies;
  }

  /** A value as the unit writes it. @param maxBytes what its item has room for */
  pack(unit: UnitOfWork, value: unknown, folder: string, maxBytes?: number): Promise<Packed> {
    return this.#deps.packer.pack(value, {
      ...{ folder, maxBytes },
      announce: (object) => this.#announce(unit, object),
    });
  }

  /** The unit replaces or deletes a value: its object goes with the commit. */
  release(unit: UnitOfWork, packed: Packed | undefined): void {
    if (!packed || !('object' in packed)) return;
    const { released } = this.#of(unit);
    released.push(packed.object);
    if (released.length > 1) return;
    const { clock, ids } = this.#deps;
    const key = objectsKey(toInstant(clock.now()), ids());
    unit.atClose(async () => unit.put(objectsItem(key, 'UNUSED', released)));
    unit.afterCommit(() => this.#discard(key, released));
  }

  /** Deletes objects that interrupted commands have left. @returns the number of commands */
  sweep(): Promise<number> {
    return sweepDueRows<ObjectsItem>(this.#deps, {
      partition: OBJECTS,
      until: this.#deps.clock.now() - GRACE_MS,
      work: async ({ pk, sk, objects }) => {
        await this.#undo({ pk, sk }, objects);
        return true;
      },
      failure: 'Objects that nothing names could not be deleted',
      about: ({ objects }) => ({ objects }),
    });
  }

  async #announce(unit: UnitOfWork, object: string): Promise<void> {
    const { key, written } = this.#of(unit);
    written.push(object);
    const isFirst = written.length === 1;
    if (isFirst) {
      unit.delete(key, { condition: IS_PENDING, otherwise: 'retry' });
      unit.afterFailure(() => this.#undo(key, written));
    }
    const condition = isFirst ? notExists : IS_PENDING;
    await this.#write(key, 'PENDING', written, condition);
  }

  /** Deletes the objects of a transaction that has not happened; from then on it cannot. */
  async #undo(key: Key, objects: readonly string[]): Promise<void> {
    try {
      await this.#write(key, 'UNUSED', objects, exists);
    } catch (cause) {
      if (cause instanceof Settled) return;
      throw cause;
    }
    await this.#discard(key, objects);
  }

  async #discard(key: Key, objects: readonly string[]): Promise<void> {
    for (const object of objects) await this.#deps.packer.discard({ object });
    await apart(() => this.#deps.unitOfWork(async (unit) => unit.delete(key)));
  }

  async #write(
    key: Key,
    state: ObjectsItem['state'],
    objects: readonly string[],
    condition: Condition,
  ): Promise<void> {
    const guard = { condition, otherwise: () => new Settled('The objects have been settled') };
    await apart(() =>
      this.#deps.unitOfWork(async (unit) => unit.put(objectsItem(key, state, objects), guard)),
    );
  }

  #of(unit: UnitOfWork): UnitObjects {
    const found = this.#units.get(unit);
    if (found) return found;
    const { clock, ids } = this.#deps;
    const key = objectsKey(toInstant(clock.now()), ids());
    const made = { key, written: [], released: [] };
    this.#units.set(unit, made);
    return made;
  }
}

const IS_PENDING: Condition = {
  expression: '#state = :pending',
  names: { '#state': 'state' },
  values: { ':pending': 'PENDING' },
};

const objectsItem = (key: Key, state: ObjectsItem['state'], objects: readonly string[]) => ({
  ...{ ...key, type: 'case_objects', state },
  objects: [...objects],
});
