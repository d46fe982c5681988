import type { Expected, History } from './history.ts';
import { randomOf } from './random.ts';
import { ENTITY, principal } from './world.ts';

type Body = Readonly<Record<string, unknown>>;

/** Writes of many records at once, and such that tie records together: references, places in a tree. */
export async function writeWide(history: History): Promise<void> {
  const dice = history.random();
  if (dice < 0.3) return createMany(history);
  if (dice < 0.5) return together(history);
  if (dice < 0.75) return importRows(history);
  return tie(history);
}

/** A body with what it refers to and where it is, often none. */
function tiedBody(history: History): Record<string, unknown> {
  const friend = history.random() < 0.4 ? randomOf(history.live(), history.random)?.id : undefined;
  const parentId =
    history.random() < 0.4 ? randomOf(history.live(), history.random)?.id : undefined;
  return {
    ...history.newBody(),
    ...(friend !== undefined && { friend }),
    ...(parentId !== undefined && { parentId }),
  };
}

const bodies = (history: History): Record<string, unknown>[] =>
  Array.from({ length: 1 + Math.floor(history.random() * 3) }, () => tiedBody(history));

async function createMany(history: History): Promise<void> {
  const { catalog, bulkService } = history.environment();
  const all = bodies(history);
  const operations = all.map((data) => ({ op: 'create' as const, data }));
  const results = await history.allowed(() =>
    catalog.withEntity(ENTITY, (model) => bulkService.run(model, operations, false, principal)),
  );
  history.log.push(
    `bulk ${JSON.stringify([all, results])
      .replace(/(\w+ )\1{9,}/g, '$1..')
      .slice(0, 400)}`,
  );
  for (const { index, id } of results ?? []) if (id) noteNew(history, id, all[index] ?? {});
}

/** A new record and a change of another one, or none of both. */
async function together(history: History): Promise<void> {
  const { catalog, bulkService } = history.environment();
  const target = randomOf(history.live(), history.random);
  if (!target) return;
  const [made, change] = [tiedBody(history), history.changedBody()];
  const results = await history.allowed(() =>
    catalog.withEntity(ENTITY, (model) =>
      bulkService.run(
        model,
        [
          { op: 'create', data: made },
          { op: 'update', id: target.id, data: change },
        ],
        true,
        principal,
      ),
    ),
  );
  history.log.push(
    `together ${JSON.stringify([made, target.id, change, results])
      .replace(/(\w+ )\1{9,}/g, '$1..')
      .slice(0, 400)}`,
  );
  const id = results?.[0]?.id;
  if (!id) return;
  noteNew(history, id, made);
  noteChange(history, target.id, change);
}

async function importRows(history: History): Promise<void> {
  const { catalog, importService } = history.environment();
  const rows = bodies(history).map((body): Body & { readonly id: string } => ({
    ...body,
    id: history.world.context.ids(),
  }));
  const bytes = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  const how = { mode: 'insert', key: 'id', dryRun: false } as const;
  const counts = await history.allowed(() =>
    catalog.withEntity(ENTITY, (model) =>
      importService.import(model, { bytes, format: 'ndjson' }, how, principal),
    ),
  );
  history.log.push(
    `import ${JSON.stringify([rows, counts])
      .replace(/(\w+ )\1{9,}/g, '$1..')
      .slice(0, 400)}`,
  );
  for (const { id, ...body } of rows) if (history.stored(id)) noteNew(history, id, body);
}

/** Another place in the tree, or another record to refer to. */
async function tie(history: History): Promise<void> {
  const { catalog, recordService } = history.environment();
  const target = randomOf(history.live(), history.random);
  const other = history.random() < 0.8 ? randomOf(history.live(), history.random) : undefined;
  if (!target) return;
  const member = history.random() < 0.5 ? 'friend' : 'parentId';
  const body = { [member]: other?.id ?? null };
  const done = await history.allowed(() =>
    catalog.withEntity(ENTITY, (model) => recordService.update(model, target.id, body, principal)),
  );
  history.log.push(`tie ${target.id.slice(-4)} ${JSON.stringify(body)} ${done !== undefined}`);
  if (done) noteChange(history, target.id, body);
}

function noteNew(history: History, id: string, { parentId, ...body }: Body): void {
  const written = history.stored(id);
  if (!written) throw new Error(`${id} is not stored`);
  const values = history.withDefaults(body, written.generation);
  history.records.set(id, { id, values, ...written, isLive: true, ...placed(parentId) });
}

function noteChange(history: History, id: string, { parentId, ...body }: Body): void {
  const before = history.records.get(id);
  const written = history.stored(id);
  if (!before || !written || written.version === before.version) return;
  const merged = { ...history.valuesOf(before, written.generation), ...body };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  const values = history.withDefaults(kept, written.generation);
  const { parentId: _place, ...rest } = before;
  const place = parentId === undefined ? placed(before.parentId) : placed(parentId);
  history.records.set(id, { ...rest, values, ...written, ...place });
}

const placed = (parentId: unknown): Pick<Expected, 'parentId'> =>
  typeof parentId === 'string' ? { parentId } : {};
