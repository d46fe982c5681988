import type { EventPublisher } from '../../../../shared/messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../../shared/primitives/fault-point.ts';
import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { endsWithin } from '../../../../shared/primitives/request-context.ts';
import { notExists } from '../../../../shared/store/conditions.ts';
import type { Condition, Item, Table } from '../../../../shared/store/table.ts';
import {
  apart,
  type RunUnitOfWork,
  type UnitOfWork,
} from '../../../../shared/store/unit-of-work.ts';
import { REST_QUEUE, restBodyKey, restKey, restQueueKey } from '../case-keys.ts';
import { sweepDueRows } from '../due-rows.ts';
import { type Packed, type Packer, packedIn } from '../packed.ts';
import type { CaseObjects } from './case-objects.ts';
import { decodeWrites, encodeWrites, type RowWrite } from './row-writes.ts';
import { stageWrites } from './stage-writes.ts';

export interface RestRunnerDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly packer: Packer;
  readonly objects: CaseObjects;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** What is left to write of a command: chunks of one transaction each, and how many are done. */
type RestItem = Item & {
  readonly token: string;
  readonly next: number;
  readonly chunks: number;
  readonly at: string;
};

/** Another run has written the chunk. */
class TakenByAnother extends Error {}

/** A run may last as long as an invocation; then the sweeper takes over (ms). */
const GRACE_MS = 60_000;
/** Time that is left of an invocation when its run stops (ms). */
const RESERVE_MS = 2_000;
const MAX_BODY_BYTES = 300_000;

/**
 * Writes what does not fit the transaction of a command. Chunks follow each other, and each moves on the mark in its own
 * transaction: it is written once, by whoever comes first, and a run that has been overtaken writes nothing.
 */
export class RestRunner {
  readonly #deps: RestRunnerDependencies;

  constructor(dependencies: RestRunnerDependencies) {
    this.#deps = dependencies;
  }

  /** Stages the rest with the command; it is written after the commit. */
  async stage(
    unit: UnitOfWork,
    familyId: string,
    chunks: readonly (readonly RowWrite[])[],
  ): Promise<void> {
    const { objects, clock, ids } = this.#deps;
    const token = ids();
    const at = toInstant(clock.now());
    const folder = `${familyId}/rest`;
    const body = await objects.pack(unit, encodeWrites(chunks), folder, MAX_BODY_BYTES);
    const mark = { token, next: 0, chunks: chunks.length, at };
    unit.put(
      { ...restKey(familyId), type: 'case_rest', ...mark },
      { condition: notExists, otherwise: 'retry' },
    );
    unit.put({ ...restBodyKey(familyId, token), ...body });
    unit.put({ ...restQueueKey(at, familyId), familyId });
    unit.afterCommit(() => this.finish(familyId));
  }

  /** Writes what is left of the family's last command, unless the invocation ends before. */
  finish(familyId: string): Promise<void> {
    return apart(() => this.#finish(familyId));
  }

  async #finish(familyId: string): Promise<void> {
    const { table, packer } = this.#deps;
    let chunks: RowWrite[][] | undefined;
    let token: string | undefined;
    for (;;) {
      const mark = await table.get<RestItem>(restKey(familyId));
      if (!mark || (token !== undefined && mark.token !== token)) return;
      token = mark.token;
      const item: Item | undefined = await table.get(restBodyKey(familyId, token));
      if (!item) continue;
      const body = packedIn(item);
      chunks ??= decodeWrites(await packer.unpack(body));
      if (await this.#run(familyId, mark, chunks, body)) return;
    }
  }

  /** @returns whether there is nothing left for this run; else another run has overtaken it */
  async #run(
    familyId: string,
    mark: RestItem,
    chunks: readonly (readonly RowWrite[])[],
    body: Packed,
  ): Promise<boolean> {
    try {
      for (let at = mark.next; at < chunks.length; at += 1) {
        if (endsWithin(RESERVE_MS, this.#deps.clock)) return true;
        await this.#write(familyId, { ...mark, next: at }, chunks[at] ?? [], body);
        faultPoint('workflow.after-chunk');
      }
      return true;
    } catch (cause) {
      if (cause instanceof TakenByAnother) return false;
      throw cause;
    }
  }

  async #write(
    familyId: string,
    mark: RestItem,
    chunk: readonly RowWrite[],
    body: Packed,
  ): Promise<void> {
    const { unitOfWork, table, events, objects } = this.#deps;
    const guard = { condition: isAt(mark), otherwise: () => new TakenByAnother() };
    await unitOfWork(async (unit) => {
      if (mark.next + 1 < mark.chunks) {
        const update = { expression: 'SET #next = :to', names: { '#next': 'next' } };
        unit.update(restKey(familyId), { ...update, values: { ':to': mark.next + 1 } }, guard);
      } else {
        unit.delete(restKey(familyId), guard);
        unit.delete(restBodyKey(familyId, mark.token));
        unit.delete(restQueueKey(mark.at, familyId));
        objects.release(unit, body);
      }
      await stageWrites(unit, chunk, { table, events });
    });
  }

  /** Writes what interrupted commands have left. @returns the number of families */
  sweep(): Promise<number> {
    return sweepDueRows<Item & { readonly familyId: string }>(this.#deps, {
      partition: REST_QUEUE,
      until: this.#deps.clock.now() - GRACE_MS,
      work: async ({ familyId }) => {
        await this.finish(familyId);
        return true;
      },
      failure: 'What is left of a command could not be written',
      about: ({ familyId }) => ({ familyId }),
    });
  }

  /** When the oldest command was given of which something is left to write. */
  async oldest(): Promise<string | undefined> {
    const { items } = await this.#deps.table.query({
      ...{ partition: REST_QUEUE, limit: 1, consistent: true },
    });
    return items[0]?.sk.split('#')[0];
  }
}

const isAt = ({ token, next }: RestItem): Condition => ({
  expression: '#token = :token AND #next = :next',
  names: { '#token': 'token', '#next': 'next' },
  values: { ':token': token, ':next': next },
});
