import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { EditedDocuments, EndedDocument } from '../../../shared/ports/templates.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { VersionEraser } from './version-eraser.ts';

interface EndedHistoriesDependencies {
  readonly documents: BoundPort<EditedDocuments>;
  readonly eraser: Pick<VersionEraser, 'forget'>;
  /** The machine's clock. */
  readonly clock: Clock;
}

/** Documents of one run, and how long it begins with another one (ms); the next run goes on. */
const MOST_IN_A_RUN = 200;
const BEGINS_MS = 15_000;

/** Deletes old versions of documents that another module has cancelled or deleted. */
export class EndedHistories {
  readonly #deps: EndedHistoriesDependencies;

  constructor(dependencies: EndedHistoriesDependencies) {
    this.#deps = dependencies;
  }

  /** @returns of how many nothing is left. @throws AggregateError at the end, for those that something is left of */
  async forget(): Promise<{ readonly forgotten: number }> {
    const { documents, eraser, clock } = this.#deps;
    if (!documents.isOn) return { forgotten: 0 };
    const until = clock.now() + BEGINS_MS;
    const failures: unknown[] = [];
    let forgotten = 0;
    for (const ended of await documents.use().ended(MOST_IN_A_RUN)) {
      if (clock.now() >= until) break;
      try {
        await eraser.forget(ended.document);
        await documents.use().settle(ended);
        forgotten += 1;
      } catch (error) {
        failures.push(error);
        await this.#postpone(ended, failures);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Old versions were not deleted');
    return { forgotten };
  }

  /** The next run begins with others. */
  async #postpone(ended: EndedDocument, failures: unknown[]): Promise<void> {
    try {
      await this.#deps.documents.use().postpone(ended);
    } catch (error) {
      failures.push(error);
    }
  }
}
