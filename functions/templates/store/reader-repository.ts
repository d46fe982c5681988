import type { FieldReaders, ReaderKey } from '../../../shared/ports/templates.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { readerKey } from './template-keys.ts';

interface ReaderItem extends Item {
  readonly x: string;
  readonly untilS: number;
}

/** A key that is trusted until a time. */
export interface TrustedKey extends ReaderKey {
  readonly untilS: number;
}

/** Keys whose tokens read merge fields: their public halves. */
export class ReaderRepository implements FieldReaders {
  readonly #deps: { readonly table: Table; readonly unitOfWork: RunUnitOfWork };

  constructor(dependencies: { readonly table: Table; readonly unitOfWork: RunUnitOfWork }) {
    this.#deps = dependencies;
  }

  async trust({ id, x }: ReaderKey, untilS: number): Promise<void> {
    const item = { ...readerKey(id), type: 'TEMPLATE_READER', x, untilS, ttl: untilS };
    await this.#deps.unitOfWork(async (unit) => unit.put(item));
  }

  async find(id: string): Promise<TrustedKey | undefined> {
    const item = await this.#deps.table.get<ReaderItem>(readerKey(id));
    return item && { id, x: item.x, untilS: item.untilS };
  }
}
