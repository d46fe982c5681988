import type { LayoutRepository } from './store/layout-repository.ts';

/** Layout version of the items; incremented by each change that older code cannot read. */
const CURRENT_LAYOUT = 1;

/**
 * Checks that stored messages have a layout this code reads (`svc.mq.schema-update-enabled`). There is one table and
 * no DDL: an older layout is marked as brought up to date.
 */
export class LayoutService {
  readonly #repository: LayoutRepository;
  readonly #isOn: boolean;

  constructor({ repository, isOn }: { repository: LayoutRepository; isOn: boolean }) {
    this.#repository = repository;
    this.#isOn = isOn;
  }

  /** @throws Error when newer code has changed the layout: this one must not touch it. */
  async check(): Promise<void> {
    if (!this.#isOn) return;
    const stored = await this.#repository.find();
    if (stored !== undefined && stored > CURRENT_LAYOUT) {
      throw new Error(
        `Stored messages have layout ${stored}, this version knows ${CURRENT_LAYOUT}; deploy the newer one`,
      );
    }
    if (stored !== CURRENT_LAYOUT) await this.#repository.mark(CURRENT_LAYOUT);
  }
}
