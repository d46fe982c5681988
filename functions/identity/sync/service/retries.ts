import type { Principal } from '../../../../shared/security/principal.ts';
import type { RunStatus, SyncHistory } from '../../domain/runs/history.ts';
import { problems } from '../../errors.ts';
import type { HistoryRepository } from '../../store/history-repository.ts';
import type { SourceAccess } from '../run/source-access.ts';
import type { StartedRun } from '../source-sync.ts';
import type { RunStarter } from './run-starter.ts';

interface RetriesDependencies {
  readonly history: HistoryRepository;
  readonly access: Pick<SourceAccess, 'find'>;
  readonly starter: Pick<RunStarter, 'execute'>;
}

/** What such runs leave behind was tried; a plan that waits was not. */
const TRIED: ReadonlySet<RunStatus> = new Set(['PARTIAL', 'FAIL', 'CANCELLED']);

/** Tries again what has failed in a run: in another run, which compares nothing else. */
export class Retries {
  readonly #deps: RetriesDependencies;

  constructor(dependencies: RetriesDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `SYNC_RUN_NOT_FOUND` (404), `RUN_STATE`, `NOTHING_FAILED` (409), and those of `RunStarter.execute` */
  async retry(
    batch: string,
    { id, tenant = '' }: Pick<Principal, 'id' | 'tenant'>,
  ): Promise<StartedRun> {
    const { history, access, starter } = this.#deps;
    const rows = await history.ofBatch(batch);
    const [first] = rows;
    if (first?.tenant !== tenant) throw problems.runNotFound({ id: batch });
    const { status, identitySourceId } = first;
    if (!TRIED.has(status)) throw problems.runState({ batch, status });
    const source = await access.find(identitySourceId);
    if (!source) throw problems.sourceNotFound({ source: identitySourceId });
    const [users, groups] = [
      await this.#failed(rows, 'USER'),
      await this.#failed(rows, 'ORGANIZATION'),
    ];
    if (users.length + groups.length === 0) throw problems.nothingFailed({ batch });
    const request = { externalIds: users, removesDepartments: groups.length > 0 };
    return starter.execute(source, request, { id });
  }

  /** Ids at the source of the objects of one kind that have failed. */
  async #failed(
    rows: readonly SyncHistory[],
    objectType: SyncHistory['objectType'],
  ): Promise<readonly string[]> {
    const history = rows.find((row) => row.objectType === objectType);
    const ids: string[] = [];
    if (!history) return ids;
    for await (const { status, externalId } of this.#deps.history.records(history.id)) {
      if (status === 'FAIL') ids.push(externalId);
    }
    return ids;
  }
}
