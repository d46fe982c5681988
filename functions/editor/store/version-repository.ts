import type { Clock } from '../../../shared/primitives/clock.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { SentHistory } from '../domain/history.ts';
import { numbersKey, VERSION_PREFIX, versionKey } from './document-keys.ts';
import { VERSION_DAYS } from './version-days.ts';
import type { DocumentVersion } from './version-items.ts';

interface VersionItem extends Item {
  readonly docVersion: Omit<DocumentVersion, 'history'>;
  /** `SentHistory` as JSON, which takes less room. */
  readonly history?: string;
  /** Epoch seconds. */
  readonly ttl: number;
}

/** Outlives the versions: no number is given to another one. */
interface NumbersItem extends Item {
  readonly upTo: number;
}

/** Numbers are taken in blocks, so that few versions write how many there are. */
const BLOCK = 10;

interface VersionRepositoryDependencies {
  readonly table: Table;
  /** The machine's clock. */
  readonly clock: Clock;
}

/** Versions of documents, each under what all files of a document have in common. */
export class VersionRepository {
  readonly #deps: VersionRepositoryDependencies;

  constructor(dependencies: VersionRepositoryDependencies) {
    this.#deps = dependencies;
  }

  async find(document: string, number: number): Promise<DocumentVersion | undefined> {
    const item = await this.#deps.table.get<VersionItem>(versionKey(document, number));
    return item && this.#isKept(item) ? toVersion(item) : undefined;
  }

  /** Newest first. */
  async list(document: string, most: number): Promise<readonly DocumentVersion[]> {
    const { pk: partition } = versionKey(document, 0);
    const query = { partition, beginsWith: VERSION_PREFIX, reverse: true };
    const items = await readAll<VersionItem>(this.#deps.table, query, most);
    return items.filter((item) => this.#isKept(item)).map(toVersion);
  }

  /** The number behind that of the newest version; versions that have ended count, too. */
  async numberAfter(document: string, newest: DocumentVersion | undefined): Promise<number> {
    if (newest) return newest.number + 1;
    return ((await this.#deps.table.get<NumbersItem>(numbersKey(document)))?.upTo ?? 0) + 1;
  }

  /** Whoever stores a version of the same number at the same time wins, and the unit runs again. */
  stageNew(unit: UnitOfWork, document: string, version: DocumentVersion): void {
    const { history, ...docVersion } = version;
    const nowS = Math.ceil(this.#deps.clock.now() / 1_000);
    const item = {
      ...versionKey(document, version.number),
      ...{ type: 'DOCS_VERSION', docVersion, ttl: nowS + VERSION_DAYS * 86_400 },
      ...(history && { history: JSON.stringify(history) }),
    };
    // An old one that has expired may still be there.
    const condition = {
      expression: `${notExists.expression} OR #ttl < :now`,
      names: { '#ttl': 'ttl' },
      values: { ':now': nowS },
    };
    unit.put(item, { condition, otherwise: 'retry' });
    const { number } = version;
    if (number % BLOCK !== 1) return;
    unit.put({ ...numbersKey(document), type: 'DOCS_NUMBERS', upTo: number + BLOCK - 1 });
  }

  stageDelete(unit: UnitOfWork, document: string, number: number): void {
    unit.delete(versionKey(document, number));
  }

  #isKept({ ttl }: VersionItem): boolean {
    return ttl * 1_000 > this.#deps.clock.now();
  }
}

const toVersion = ({ docVersion, history }: VersionItem): DocumentVersion => ({
  ...docVersion,
  ...(history !== undefined && { history: JSON.parse(history) as SentHistory }),
});
