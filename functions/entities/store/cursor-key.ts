import { randomBytes } from 'node:crypto';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';

/* Access pattern: the key, get DYN_CURSOR_KEY / K */
const KEY: Key = { pk: 'DYN_CURSOR_KEY', sk: 'K' };
const KEY_BYTES = 32;

type KeyItem = Item & { readonly key: string };

export interface CursorKeyDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
}

/** The key of sealed cursors, one for all environments. */
export class CursorKey {
  readonly #deps: CursorKeyDependencies;
  #known: Promise<Buffer> | undefined;

  readonly #mayMake: boolean;

  /** @param mayMake `false` in functions that may not write: there the sweep of the module makes the key */
  constructor(dependencies: CursorKeyDependencies, mayMake = true) {
    this.#deps = dependencies;
    this.#mayMake = mayMake;
  }

  /** The key, which is made unless there is one. @throws Problem `SERVICE_UNAVAILABLE` (503) where it cannot be made */
  get(): Promise<Buffer> {
    this.#known ??= this.#read().catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #read(): Promise<Buffer> {
    const { table, unitOfWork } = this.#deps;
    const found = await table.get<KeyItem>(KEY);
    if (found) return Buffer.from(found.key, 'base64');
    if (!this.#mayMake) throw httpProblems.serviceUnavailable();
    return apart(() =>
      unitOfWork(async (unit) => {
        const other = await table.get<KeyItem>(KEY);
        if (other) return Buffer.from(other.key, 'base64');
        const key = randomBytes(KEY_BYTES);
        const item = { ...KEY, type: 'DYN_CURSOR_KEY', key: key.toString('base64') };
        unit.put(item, { condition: notExists, otherwise: 'retry' });
        return key;
      }),
    );
  }
}
