import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { ItemWriter } from '../../../shared/store/item-writer.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   layout of stored messages     message#layout / layout
 */
type LayoutItem = Item & { readonly layout: number };

export interface LayoutRepositoryDependencies {
  readonly table: Table;
  readonly writer: ItemWriter;
  readonly clock: Clock;
  /** `svc.mq.message-table` */
  readonly messageTable: string;
}

/** The layout that stored messages have. */
export class LayoutRepository {
  readonly #table: Table;
  readonly #writer: ItemWriter;
  readonly #clock: Clock;
  readonly #key: Key;

  constructor({ table, writer, clock, messageTable }: LayoutRepositoryDependencies) {
    this.#table = table;
    this.#writer = writer;
    this.#clock = clock;
    this.#key = { pk: `${messageTable}#layout`, sk: 'layout' };
  }

  async find(): Promise<number | undefined> {
    return (await this.#table.get<LayoutItem>(this.#key))?.layout;
  }

  /** Says which layout the stored messages have; an older one is replaced, a newer one stays. */
  async mark(layout: number): Promise<void> {
    await this.#writer.put(
      {
        ...this.#key,
        type: 'message',
        layout,
        updatedAt: toInstant(this.#clock.now()),
      },
      {
        expression: 'attribute_not_exists(pk) OR layout < :layout',
        values: { ':layout': layout },
      },
    );
  }
}
