import type { EndedDocument } from '../../../shared/ports/templates.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { ENDED_PARTITION, endedKey } from './template-keys.ts';

interface EndedDocumentsDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly tenantClock: { readonly machine: Clock };
}

/** Calls that read a document before its end are over by then. */
const SETTLED_MS = 60_000;
/** What an editor keeps of a document ends by itself before that; where there is no editor nobody asks. */
const KEPT_S = 91 * 86_400;

/** Documents that are cancelled or deleted, for whoever keeps something of them. */
export class EndedDocuments {
  readonly #deps: EndedDocumentsDependencies;

  constructor(dependencies: EndedDocumentsDependencies) {
    this.#deps = dependencies;
  }

  /** @param document what all its files have in common */
  stage(unit: UnitOfWork, document: string): void {
    const now = this.#deps.tenantClock.machine.now();
    const ttl = Math.ceil(now / 1_000) + KEPT_S;
    unit.put({ ...endedKey(toInstant(now), document), type: 'TEMPLATE_DOCUMENT_ENDED', ttl });
  }

  /** Oldest first, with when each has ended. */
  async list(most: number): Promise<readonly EndedDocument[]> {
    const { table, tenantClock } = this.#deps;
    const to = toInstant(tenantClock.machine.now() - SETTLED_MS);
    const query = { partition: ENDED_PARTITION, between: { from: '0', to } };
    const items = await readAll<Item>(table, query, most);
    return items.map(({ sk }) => {
      const end = sk.indexOf('#');
      return { at: sk.slice(0, end), document: sk.slice(end + 1) };
    });
  }

  /** Puts one that something is left of behind all others. */
  async postpone({ at, document }: EndedDocument): Promise<void> {
    await this.#deps.unitOfWork(async (unit) => {
      unit.delete(endedKey(at, document));
      this.stage(unit, document);
    });
  }

  async settle({ at, document }: EndedDocument): Promise<void> {
    await this.#deps.unitOfWork(async (unit) => unit.delete(endedKey(at, document)));
  }
}
