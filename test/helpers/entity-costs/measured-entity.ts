import type { JsonObject } from '../../../functions/entities/domain/entity/json.ts';
import { seededRandom } from '../seeded-random.ts';

/** Ten fields: nine searchable, one pair, one unique, two counted, and the words of a name. */
export const measuredEntity = {
  code: 'customer',
  name: 'Customer',
  uiSchemaJson: {
    type: 'object',
    'x-indexes': [['status', 'dueDate']],
    properties: {
      name: { type: 'string' },
      code: { type: 'string', 'x-unique': true },
      status: { type: 'string', enum: ['new', 'open', 'wip', 'done', 'closed'] },
      priority: { type: 'integer' },
      city: { type: 'string' },
      amount: { type: 'number' },
      dueDate: { type: 'string', format: 'date' },
      active: { type: 'boolean' },
      owner: { type: 'string', format: 'email' },
      notes: { type: 'string', format: 'textarea' },
    },
  },
} as const;

const families = ['Nguyễn', 'Trần', 'Lê', 'Phạm', 'Hoàng', 'Phan', 'Vũ', 'Đặng', 'Bùi', 'Đỗ'];
const { status: statusField } = measuredEntity.uiSchemaJson.properties;

/** Amounts lie below this. */
export const MAX_AMOUNT = 1_000_000;

/** Values of records, drawn from a seed; each is as likely as its siblings. */
export class MeasuredValues {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  whole(below: number): number {
    return Math.floor(this.#next() * below);
  }

  one<T>(values: readonly T[]): T {
    return values[this.whole(values.length)] as T;
  }

  family = (): string => this.one(families);
  status = (): string => this.one(statusField.enum);
  priority = (): number => this.whole(3);
  city = (): string => `Tỉnh ${this.whole(63)}`;
  owner = (): string => `u${this.whole(200)}@example.com`;
  amount = (): number => this.whole(MAX_AMOUNT);
  dueDate = (): string =>
    new Date(Date.UTC(2026, 0, 1 + this.whole(365))).toISOString().slice(0, 10);

  /** A record of its own; `at` tells it apart from all others. */
  record(at: number): JsonObject {
    return {
      name: `${this.family()} Văn ${String(this.whole(10_000_000)).padStart(7, '0')}`,
      code: `C-${at}`,
      status: this.status(),
      priority: this.priority(),
      city: this.city(),
      amount: this.amount(),
      dueDate: this.dueDate(),
      active: this.whole(2) === 0,
      owner: this.owner(),
    };
  }
}
