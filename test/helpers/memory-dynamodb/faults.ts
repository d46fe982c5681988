import { seededRandom } from '../seeded-random.ts';
import { ServiceError, transactionCancelled } from './errors.ts';

/**
 * What can go wrong on the way.
 * - `conflict`: another transaction holds an item.
 * - `throttling`: the table is asked too much.
 * - `internal`: the service answers 500.
 * - `network`: the table cannot be reached.
 * - `answer-lost`: the table does its work, but the answer does not arrive.
 */
export type Fault = 'conflict' | 'throttling' | 'internal' | 'network' | 'answer-lost';

/** Which requests fail. */
export interface FaultOptions {
  /** Only requests of this operation, such as `TransactWriteItems`; default: any. */
  readonly operation?: string;
  /** How many of them; default 1. */
  readonly times?: number;
  /** How many of them work before; default 0. */
  readonly after?: number;
}

/** Requests that fail by chance. */
export interface RandomFaultOptions {
  /** Share of the requests, from 0 to 1. */
  readonly share: number;
  /** Repeats the same faults for the same requests. */
  readonly seed: number;
  /** Default: throttling and conflicts. */
  readonly faults?: readonly Fault[];
  /** Only requests of this operation; default: any. */
  readonly operation?: string;
}

interface Plan {
  readonly fault: Fault;
  readonly operation: string | undefined;
  after: number;
  times: number;
}

/** Operations whose items a transaction may hold; reads go on meanwhile. */
const WRITES: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
]);

/** The failures that a test has ordered. */
export class Faults {
  #plans: Plan[] = [];
  #byChance: (operation: string) => Fault | undefined = () => undefined;

  add(fault: Fault, { operation, times = 1, after = 0 }: FaultOptions = {}): void {
    this.#plans.push({ fault, operation, times, after });
  }

  addByChance({ share, seed, faults = ['throttling', 'conflict'], ...only }: RandomFaultOptions) {
    const random = seededRandom(seed);
    this.#byChance = (operation) => {
      if (only.operation !== undefined && only.operation !== operation) return undefined;
      const possible = faults.filter((fault) => fault !== 'conflict' || WRITES.has(operation));
      if (random() >= share) return undefined;
      return possible[Math.floor(random() * possible.length)];
    };
  }

  clear(): void {
    this.#plans = [];
    this.#byChance = () => undefined;
  }

  /** The fault that hits the request at hand. */
  next(operation: string): Fault | undefined {
    const plan = this.#plans.find(
      (one) => one.operation === undefined || one.operation === operation,
    );
    if (!plan) return this.#byChance(operation);
    if (plan.after > 0) {
      plan.after -= 1;
      return undefined;
    }
    plan.times -= 1;
    if (plan.times <= 0) this.#plans.splice(this.#plans.indexOf(plan), 1);
    return plan.fault;
  }
}

/** The error of a fault, as the service or the network makes it. */
export function errorOf(fault: Fault, operation: string, actions: number): Error {
  const isTransaction = operation === 'TransactWriteItems';
  switch (fault) {
    case 'conflict':
      return isTransaction
        ? cancelledBy('TransactionConflict', 'Transaction is ongoing for the item', actions)
        : new ServiceError('TransactionConflictException', 'Transaction is ongoing for the item');
    case 'throttling':
      return isTransaction
        ? cancelledBy('ThrottlingError', 'Throughput exceeds the current capacity', actions)
        : new ServiceError(
            'ProvisionedThroughputExceededException',
            'The level of configured provisioned throughput for the table was exceeded',
          );
    case 'internal':
      return new ServiceError('InternalServerError', 'Internal server error', { status: 500 });
    case 'network':
      return networkError('ECONNREFUSED', 'Error');
    case 'answer-lost':
      return networkError('ECONNRESET', 'TimeoutError');
  }
}

function cancelledBy(code: string, message: string, actions: number): ServiceError {
  return transactionCancelled([
    { Code: code, Message: message },
    ...Array.from({ length: Math.max(0, actions - 1) }, () => ({ Code: 'None' })),
  ]);
}

/** As the HTTP handler of the AWS client throws it. */
function networkError(code: string, name: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code, name });
}
