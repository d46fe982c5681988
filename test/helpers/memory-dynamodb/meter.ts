/** One request that reached the table. */
export interface MeteredRequest {
  /** Name of the operation, such as `GetItem` or `TransactWriteItems`. */
  readonly operation: string;
  /** Keys read, items written, or items that a query looked at. */
  readonly items: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Hears of a request that was charged. @param input as the AWS client has sent it */
export type RequestListener = (
  request: MeteredRequest,
  input: Readonly<Record<string, unknown>>,
) => void;

/** What a piece of work cost. */
export interface Cost {
  /** Operations in the order of the requests, with the number of items: `TransactWriteItems 4`. */
  readonly requests: readonly string[];
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Counts the requests that reach the table, refused ones too, and charges them by the rules of the service. */
export class Meter {
  #requests: MeteredRequest[] = [];
  readonly #listeners = new Set<RequestListener>();

  /** Every request so far. */
  get requests(): readonly MeteredRequest[] {
    return this.#requests;
  }

  record(request: MeteredRequest, input: Readonly<Record<string, unknown>>): void {
    this.#requests.push(request);
    for (const listener of this.#listeners) listener(request, input);
  }

  /** Tells of every request from now on, with its input. @returns how to end that */
  listen(listener: RequestListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What the work costs; requests of other work at the same time count too. */
  async costOf(work: () => Promise<unknown>): Promise<Cost> {
    const before = this.#requests.length;
    await work();
    return sum(this.#requests.slice(before));
  }

  /** What was counted since the last reset. */
  total(): Cost {
    return sum(this.#requests);
  }

  reset(): void {
    this.#requests = [];
  }
}

function sum(requests: readonly MeteredRequest[]): Cost {
  return {
    requests: requests.map(({ operation, items }) =>
      operation === 'GetItem' ? operation : `${operation} ${items}`,
    ),
    readUnits: requests.reduce((total, { readUnits }) => total + readUnits, 0),
    writeUnits: requests.reduce((total, { writeUnits }) => total + writeUnits, 0),
  };
}
