import type { Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { SourceState } from '../domain/sources/source-state.ts';
import { SourceRepository } from './source-repository.ts';

/** What the runs of sources leave behind. */
export class SyncStates {
  readonly #sources: SourceRepository;

  constructor(context: { readonly table: Table }) {
    this.#sources = new SourceRepository(context);
  }

  of(sourceId: string): Promise<SourceState> {
    return this.#sources.state(sourceId);
  }

  /** Stages what changes, on what is stored now. */
  async stageChange(
    unit: UnitOfWork,
    sourceId: string,
    change: (state: SourceState) => Partial<SourceState>,
  ): Promise<void> {
    const state = await this.of(sourceId);
    this.#sources.stageState(unit, sourceId, { ...state, ...change(state) });
  }
}
