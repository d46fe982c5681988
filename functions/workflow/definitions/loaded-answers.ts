import type { DefinitionSource, DeployedCase } from '../domain/cmmn/contract/environment.ts';
import type { DecisionTable } from '../domain/cmmn/decision/decision-table.ts';

/** Finds definitions, for those who can wait. */
export interface DefinitionFinder {
  byId(id: string): Promise<DeployedCase | undefined>;
  latest(
    key: string,
    tenantCode: string,
    sameDeploymentAs: string | undefined,
  ): Promise<DeployedCase | undefined>;
  decision(key: string, tenantCode: string): Promise<DecisionTable | undefined>;
}

/** Result of a call, or what has to be loaded before it is given again. */
export type Attempt<T> =
  | { readonly isDone: true; readonly result: T }
  | { readonly isDone: false; readonly load: () => Promise<void> };

/** A definition that a call has asked for is not loaded yet. */
class NotLoadedError extends Error {
  override readonly name = 'NotLoadedError';
  readonly load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    super('A definition is not loaded yet');
    this.load = load;
  }
}

/** Makes an asynchronous finder the source of synchronous calls: each answer is looked for once, then known. */
export class LoadedAnswers {
  readonly #answers = new Map<string, unknown>();
  readonly #source: DefinitionSource;

  constructor(finder: DefinitionFinder) {
    this.#source = {
      byId: (id) => this.#answer(keyOf('id', id), () => finder.byId(id)),
      latest: (key, tenant = '', same = undefined) =>
        this.#answer(keyOf('latest', key, tenant, same), () => finder.latest(key, tenant, same)),
      decision: (key, tenant = '') =>
        this.#answer(keyOf('decision', key, tenant), () => finder.decision(key, tenant)),
    };
  }

  know(deployed: DeployedCase): void {
    this.#answers.set(keyOf('id', deployed.id), deployed);
  }

  /** Gives a call what is known. */
  try<T>(work: (definitions: DefinitionSource) => T): Attempt<T> {
    try {
      return { isDone: true, result: work(this.#source) };
    } catch (error) {
      if (error instanceof NotLoadedError) return { isDone: false, load: error.load };
      throw error;
    }
  }

  #answer<T>(key: string, find: () => Promise<T>): T {
    if (this.#answers.has(key)) return this.#answers.get(key) as T;
    throw new NotLoadedError(async () => {
      this.#answers.set(key, await find());
    });
  }
}

const keyOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);
