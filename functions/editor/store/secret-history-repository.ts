import { isDeepStrictEqual } from 'node:util';
import { versionIs } from '../../../shared/store/conditions.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { SecretHistory } from '../domain/secret-history.ts';
import { secretsKey } from './document-keys.ts';

interface HistoryItem extends Item {
  readonly version: number;
  readonly secretHistory: SecretHistory;
}

interface SecretHistoryDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
}

/** Which secrets were used, and until when. There are digests in it, of which nothing can be read. */
export class SecretHistoryRepository {
  readonly #deps: SecretHistoryDependencies;

  constructor(dependencies: SecretHistoryDependencies) {
    this.#deps = dependencies;
  }

  /** Reads the history, and stores what it becomes; of callers at once each sees what the other has stored. */
  async update(
    change: (known: SecretHistory | undefined) => SecretHistory,
  ): Promise<SecretHistory> {
    const { table, unitOfWork } = this.#deps;
    return unitOfWork(async (unit) => {
      const found = await table.get<HistoryItem>(secretsKey);
      const secretHistory = change(found?.secretHistory);
      if (isDeepStrictEqual(secretHistory, found?.secretHistory)) return secretHistory;
      const version = (found?.version ?? 0) + 1;
      unit.put(
        { ...secretsKey, type: 'DOCS_SECRET_HISTORY', version, secretHistory },
        { condition: versionIs(version - 1), otherwise: 'retry' },
      );
      return secretHistory;
    });
  }
}
