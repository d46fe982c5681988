import { setTimeout as sleep } from 'node:timers/promises';
import type { WireInput } from './engine.ts';
import { type CancellationReason, ServiceError, transactionCancelled } from './errors.ts';

type KeyText = { readonly S?: string };
type Target = Readonly<
  Record<string, { readonly pk?: KeyText; readonly sk?: KeyText } | undefined>
>;

const MESSAGE = 'Transaction is ongoing for the item';
const SINGLE_WRITES: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/**
 * Items that a running transaction holds: whoever writes one of them meanwhile meets a conflict.
 * @see Amazon DynamoDB, "Transaction conflict handling in DynamoDB"
 */
export class HeldItems {
  readonly #held = new Set<string>();
  #holdMs: number | undefined;

  /** From now on a transaction takes this long. */
  holdFor(ms: number): void {
    this.#holdMs = ms;
  }

  /** Why a request cannot be worked on now. */
  refusal(operation: string, input: WireInput): ServiceError | undefined {
    const keys = keysOf(operation, input);
    if (!keys.some((key) => this.#held.has(key))) return undefined;
    return operation === 'TransactWriteItems'
      ? transactionCancelled(keys.map((key) => reason(this.#held.has(key))))
      : new ServiceError('TransactionConflictException', MESSAGE);
  }

  /** Works on a request; a transaction holds its items while it does. */
  async run<T>(operation: string, input: WireInput, work: () => T): Promise<T> {
    if (this.#holdMs === undefined || operation !== 'TransactWriteItems') return work();
    const keys = keysOf(operation, input);
    for (const key of keys) this.#held.add(key);
    try {
      await sleep(this.#holdMs);
      return work();
    } finally {
      for (const key of keys) this.#held.delete(key);
    }
  }
}

function keysOf(operation: string, input: WireInput): string[] {
  if (SINGLE_WRITES.has(operation)) return [keyOf(input as Target)];
  if (operation !== 'TransactWriteItems') return [];
  const actions = (input.TransactItems ?? []) as readonly Readonly<Record<string, Target>>[];
  return actions.map((action) => keyOf(Object.values(action)[0] ?? {}));
}

const keyOf = ({ Key, Item }: Target): string => {
  const { pk, sk } = Key ?? Item ?? {};
  return JSON.stringify([pk?.S, sk?.S]);
};

const reason = (isHeld: boolean): CancellationReason =>
  isHeld ? { Code: 'TransactionConflict', Message: MESSAGE } : { Code: 'None' };
