import { createHash } from 'node:crypto';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Condition, Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { saveKey } from './document-keys.ts';

interface SaveItem extends Item {
  readonly state: 'PENDING' | 'DONE';
  readonly owner: string;
  /** Until when the owner works on it (epoch ms). */
  readonly leaseUntil: number;
}

/** A save that a call works on. */
export interface SaveClaim {
  readonly key: string;
  /** Tells saves of one key apart. */
  readonly identity: string;
  readonly owner: string;
}

interface SaveRepositoryDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  /** The machine's clock: tenants share leases. */
  readonly clock: Clock;
}

/** A little more than a call may take. */
export const LEASE_MS = 35_000;
/** Tokens of callbacks end long before. */
const KEPT_S = 30 * 86_400;

/** Saves of one session that are looked at; each is an item of some 200 bytes. */
const MOST_SAVES = 1_000;

class Taken extends Error {}

/** Which saves have been stored: the editing server sends one several times, also at once. */
export class SaveRepository {
  readonly #deps: SaveRepositoryDependencies;

  constructor(dependencies: SaveRepositoryDependencies) {
    this.#deps = dependencies;
  }

  /** Takes a save that is reported for the first time, as most are. @returns as `claim` */
  async begin(claim: SaveClaim): Promise<'own' | 'done' | 'busy'> {
    return (await this.#put(claim, notExists)) === 'own' ? 'own' : this.claim(claim);
  }

  /** Takes a save, or one whose owner has gone. @returns `done` when it is stored, `busy` while another call works on it */
  async claim(claim: SaveClaim): Promise<'own' | 'done' | 'busy'> {
    const { table, clock } = this.#deps;
    const found = await table.get<SaveItem>(keyOf(claim));
    if (found?.state === 'DONE') return 'done';
    // The answer to an earlier request of this call was lost.
    if (found?.owner === claim.owner) return 'own';
    if (found && found.leaseUntil > clock.now()) return 'busy';
    return this.#put(claim, found ? isHeldBy(found.owner) : notExists);
  }

  async #put(claim: SaveClaim, condition: Condition): Promise<'own' | 'busy'> {
    const { unitOfWork, clock } = this.#deps;
    const now = clock.now();
    try {
      await unitOfWork(async (unit) => {
        const item = toItem(claim, 'PENDING', now, now + LEASE_MS);
        unit.put(item, { condition, otherwise: () => new Taken(), isPlain: true });
      });
      return 'own';
    } catch (error) {
      if (error instanceof Taken) return 'busy';
      throw error;
    }
  }

  async isDone(claim: SaveClaim): Promise<boolean> {
    return (await this.#deps.table.get<SaveItem>(keyOf(claim)))?.state === 'DONE';
  }

  /** Whether a save of a session is being stored. */
  async isUnderWay(key: string): Promise<boolean> {
    const { table, clock } = this.#deps;
    const now = clock.now();
    const { pk: partition, sk: beginsWith } = saveKey(key, '');
    const found = await readAll<SaveItem>(table, { partition, beginsWith }, MOST_SAVES);
    return found.some(({ state, leaseUntil }) => state === 'PENDING' && leaseUntil > now);
  }

  /** Stages that a save is stored. */
  stageDone(unit: UnitOfWork, claim: SaveClaim): void {
    const item = toItem(claim, 'DONE', this.#deps.clock.now(), 0);
    unit.put(item, { condition: isHeldBy(claim.owner), otherwise: () => new SaveLost() });
  }

  /** Stages that a save is stored whose call has not said so, whoever works on it. */
  stageFinished(unit: UnitOfWork, claim: SaveClaim): void {
    unit.put(toItem(claim, 'DONE', this.#deps.clock.now(), 0));
  }

  /** Lets the next attempt have a save at once. */
  async release(claim: SaveClaim): Promise<void> {
    const { unitOfWork, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const item = toItem(claim, 'PENDING', clock.now(), 0);
      const condition = isHeldBy(claim.owner);
      unit.put(item, { condition, otherwise: () => new SaveLost(), isPlain: true });
    }).catch((error: unknown) => {
      if (!(error instanceof SaveLost)) throw error;
    });
  }
}

/** Somebody else has taken a save over. */
export class SaveLost extends Error {}

/** Distinguishes saves of one key. */
export const identityOf = (status: number, download: string): string =>
  `${status}#${createHash('sha256').update(download).digest('base64url')}`;

const keyOf = ({ key, identity }: SaveClaim) => saveKey(key, identity);

const toItem = (claim: SaveClaim, state: SaveItem['state'], now: number, leaseUntil: number) => ({
  ...keyOf(claim),
  ...{ type: 'DOCS_SAVE', state, owner: claim.owner, leaseUntil },
  ttl: Math.ceil(now / 1_000) + KEPT_S,
});

const isHeldBy = (owner: string): Condition => ({
  expression: '#owner = :owner AND #state = :pending',
  names: { '#owner': 'owner', '#state': 'state' },
  values: { ':owner': owner, ':pending': 'PENDING' },
});
