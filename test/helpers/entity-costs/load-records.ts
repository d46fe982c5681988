import type { JsonObject } from '../../../functions/entities/domain/entity/json.ts';
import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { Key, StorableItem } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { TestContext } from '../world/a-context.ts';

/** Records whose counters are added up before they are written. */
const CHUNK = 5_000;

/**
 * Creates records as the service does, but puts what it stages straight into the table in memory: no requests, and no
 * look at what is there, so the records must be new and their unique values distinct.
 * @returns ids in the order of the records
 */
export async function loadRecords(
  context: TestContext,
  code: string,
  bodies: Iterable<JsonObject>,
): Promise<string[]> {
  let unit = new DirectUnit(context);
  const unitOfWork: RunUnitOfWork = (work) => work(unit);
  const { catalog, recordService } = createEntitiesModule({ ...context, unitOfWork }).services;
  const model = await catalog.load(code);
  const ids: string[] = [];
  for (const body of bodies) {
    const { header } = await recordService.create(model, body, systemPrincipal);
    ids.push(header.id);
    if (ids.length % CHUNK > 0) continue;
    await unit.commit();
    unit = new DirectUnit(context);
  }
  await unit.commit();
  return ids;
}

/** Collects puts for the table in memory; updates, which are few, go through the client. */
class DirectUnit implements UnitOfWork {
  readonly #context: TestContext;
  readonly #items: StorableItem[] = [];
  readonly #updates: Parameters<UnitOfWork['update']>[] = [];
  readonly #deletes: Key[] = [];
  readonly #preparations: (() => Promise<void>)[] = [];
  readonly #closings: (() => Promise<void>)[] = [];

  constructor(context: TestContext) {
    this.#context = context;
  }

  put(item: StorableItem): void {
    this.#items.push(item);
  }

  add(item: StorableItem): void {
    this.#items.push(item);
  }

  update(...update: Parameters<UnitOfWork['update']>): void {
    this.#updates.push(update);
  }

  /** A new record deletes nothing but the work that its objects have opened. */
  delete(key: Key): void {
    this.#deletes.push(key);
  }

  check(): void {
    throw new Error('Records that refer to others are not loaded');
  }

  beforeCommit(work: () => Promise<void>): void {
    this.#preparations.push(work);
  }

  atClose(work: () => Promise<void>): void {
    this.#closings.push(work);
  }

  afterFailure(): void {
    throw new Error('Nothing is done apart from a load');
  }

  afterCommit(): void {
    throw new Error('Records of so many rows are not loaded');
  }

  retryFor(): void {
    throw new Error('Nobody else writes during a load');
  }

  async commit(): Promise<void> {
    for (const prepare of this.#preparations) await prepare();
    for (const close of this.#closings) await close();
    const { db, unitOfWork, batchWrite } = this.#context;
    db.load(this.#items);
    await batchWrite({ deletes: this.#deletes });
    for (const update of this.#updates) await unitOfWork(async (unit) => unit.update(...update));
  }
}
