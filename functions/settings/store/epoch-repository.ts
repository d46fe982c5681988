import { toInstant } from '../../../shared/primitives/clock.ts';
import {
  type EpochEntry,
  type EpochItem,
  entrySortKey,
  epochKey,
  REFRESH_PARTITION,
} from '../../../shared/refresh/epoch-items.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import type { Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';

const ENTRY_TTL_SECONDS = 24 * 3_600;

/*
 * Access patterns
 *   the counter    get    setting#@refresh / epoch
 *   its steps      query  setting#@refresh / e#<12 digits>
 */

/** The refresh epoch as it is stored. */
export class EpochRepository {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async epoch(): Promise<number> {
    return (await this.#table.get<EpochItem>(epochKey))?.epoch ?? 0;
  }

  /** Stages one step of `epoch` for each refreshed key. */
  stageSteps(unit: UnitOfWork, epoch: number, keys: readonly string[], nowMs: number): void {
    const last = epoch + keys.length;
    unit.update(
      epochKey,
      {
        expression: 'SET #type = :type, #epoch = :last',
        names: { '#type': 'type', '#epoch': 'epoch' },
        values: { ':type': 'setting', ':last': last },
      },
      {
        condition:
          epoch === 0
            ? notExists
            : {
                expression: '#epoch = :epoch',
                names: { '#epoch': 'epoch' },
                values: { ':epoch': epoch },
              },
        otherwise: 'retry',
      },
    );
    for (const [index, key] of keys.entries()) {
      const step = epoch + index + 1;
      unit.put({
        pk: REFRESH_PARTITION,
        sk: entrySortKey(step),
        type: 'setting',
        epoch: step,
        key,
        createdAt: toInstant(nowMs),
        ttl: Math.floor(nowMs / 1_000) + ENTRY_TTL_SECONDS,
      } satisfies EpochEntry);
    }
  }
}
