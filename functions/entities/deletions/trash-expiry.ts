import { type TenantClock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { DeletedRow } from '../domain/search/source.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { Trash } from './trash.ts';

export interface TrashExpiryDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly trash: Trash;
  readonly tenantClock: TenantClock;
  readonly log: Log;
}

const DAY_MS = 86_400_000;
/** Most records that one sweep purges; the next one goes on. */
const MAX_EXPIRED = 1_000;
const PAGE = 100;
const PARALLEL = 8;

/** Purges records whose time in the trash is over, with all that belongs to them. */
export class TrashExpiry {
  readonly #deps: TrashExpiryDependencies;

  constructor(dependencies: TrashExpiryDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the number of records */
  async run(): Promise<number> {
    const { definitions, tenantClock } = this.#deps;
    const { latest } = await tenantClock.times();
    let count = 0;
    for (const { code, days } of await definitions.retentions()) {
      count += await this.#expire(code, toInstant(latest - days * DAY_MS), MAX_EXPIRED - count);
      if (count >= MAX_EXPIRED) break;
    }
    return count;
  }

  async #expire(code: string, until: string, most: number): Promise<number> {
    const { definitions, repository } = this.#deps;
    let model: EntityModel | undefined;
    let after: DeletedRow | undefined;
    for (let count = 0; ; ) {
      const limit = Math.min(PAGE, most - count);
      const { rows, isEnd } = await repository.trash(code, { oldestFirst: true, after, limit });
      const due = rows.filter(({ deletedAt }) => deletedAt <= until);
      const definition = due.length > 0 && !model ? await definitions.find(code) : undefined;
      if (definition) model = new EntityModel(definition);
      const known = model;
      if (known) await mapLimited(due, PARALLEL, (row) => this.#purge(known, row));
      count += due.length;
      after = rows.at(-1);
      if (isEnd || due.length < rows.length || count >= most) return count;
    }
  }

  /** A record that cannot be purged now is left to the next sweep. */
  async #purge(model: EntityModel, row: DeletedRow): Promise<void> {
    const { repository, trash, log } = this.#deps;
    const { id, deletedAt } = row;
    try {
      const isMeant = (stored: { readonly deletedAt?: string }) => stored.deletedAt === deletedAt;
      if (await trash.purge(model, id, systemPrincipal, { isMeant })) return;
      if (!(await repository.findHeader(model.code, id))) await trash.forget(model, row);
    } catch (cause) {
      log.warn('A deleted record could not be purged', { entity: model.code, id, cause });
    }
  }
}
