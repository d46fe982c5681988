import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { anEntitiesApi, type EntitiesApi, RECORDS } from '../entities-api.ts';

const NODES = `${RECORDS}/node`;
const NOTES = `${RECORDS}/note`;
const idOf = (number: number): string =>
  `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const range = (count: number): number[] => Array.from({ length: count }, (_each, at) => at);

type Body = Record<string, unknown>;

/** Records that refer to each other in lines and circles, some of them held by records of another entity. */
export async function aRandomGraph(seed: number, count: number) {
  const random = seededRandom(seed);
  const isTree = seed % 2 === 0;
  const some = (share: number): boolean => random() < share;
  const any = (below: number): string => idOf(Math.floor(random() * below));
  const storage = memoryStorage();
  const api = anEntitiesApi({ host: { permissionEvaluator: claimsPermissionEvaluator, storage } });
  const node = { type: 'string', 'x-reference': { entity: 'node', onDelete: 'restrict' } };
  const text = { type: 'string' };
  await defined(api, {
    ...{ code: 'node', name: 'Node', hierarchical: isTree },
    uiSchemaJson: {
      type: 'object',
      'x-unique': [['a', 'b']],
      properties: {
        ...{ number: { type: 'integer' }, old: { type: 'boolean' }, a: text, b: text },
        ...{ code: { ...text, 'x-unique': true }, near: node, of: node },
        note: { type: 'string', maxLength: 5 },
      },
    },
  });
  await defined(api, {
    ...{ code: 'note', name: 'Note' },
    uiSchemaJson: { type: 'object', properties: { node } },
  });
  const nodes = range(count).map((at) => ({
    ...{ id: idOf(at), number: at, old: some(0.7), a: `a${at % 3}`, b: `b${at}` },
    ...(some(0.2) ? { b: `b${at % 4}`, a: `c${at}` } : {}),
    ...(some(0.3) ? { code: `c${at}` } : {}),
    ...(isTree && at > 0 && some(0.5) ? { parentId: any(at) } : {}),
  }));
  await bulk(
    api,
    NODES,
    nodes.map((data) => ({ op: 'create', data })),
  );
  const links = range(count).flatMap((at) => {
    const near = some(0.25) ? { near: any(at + 1) } : {};
    const of = some(0.03) ? { of: any(count) } : {};
    const data = { ...near, ...of };
    return Object.keys(data).length > 0 ? [{ op: 'update', id: idOf(at), data }] : [];
  });
  await bulk(api, NODES, links);
  const held = range(count).flatMap((at) => (some(0.05) ? [{ node: idOf(at) }] : []));
  await bulk(
    api,
    NOTES,
    held.map((data) => ({ op: 'create', data })),
  );
  api.context.clock.advance(60_000);
  return { ...api, storage };
}

async function defined(api: EntitiesApi, definition: Body): Promise<void> {
  const { status, text } = await api.define(definition);
  if (status !== 201) throw new Error(text);
}

async function bulk(api: EntitiesApi, path: string, operations: readonly Body[]): Promise<void> {
  for (let at = 0; at < operations.length; at += 100) {
    const part = operations.slice(at, at + 100);
    const { body, text } = await api.post(`${path}/bulk`, { operations: part });
    const results = body.results as readonly { readonly status: number }[] | undefined;
    if (!results?.every(({ status }) => status < 300)) throw new Error(text);
  }
}

/** Changes by filter of which some records keep others, or take what others have. */
export function randomChange(seed: number, count: number): { path: string; body: Body } {
  const random = seededRandom(seed * 7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const filter = pick([{}, { old: true }, { old: true }, { number: { lt: count / 2 } }]);
  if (random() < 0.5) return { path: 'bulk:delete', body: { filter } };
  const place = seed % 2 === 0 ? [{ parentId: idOf(3) }, { parentId: null }] : [];
  const unique = [{ code: 'x' }, { code: 'c3' }, { a: 'a1' }, { b: 'b3' }, { a: 'a', b: 'b' }];
  const others = [{ note: 'too long' }, { near: idOf(1) }, { near: idOf(9_999) }, { old: null }];
  return { path: 'bulk:update', body: { filter, data: pick([...unique, ...place, ...others]) } };
}

/** Runs a change by filter to its end. @returns its result, and how often it names which failure */
export async function changeRandomly(
  api: EntitiesApi,
  { path, body }: { readonly path: string; readonly body: Body },
  dryRun: boolean,
): Promise<Body> {
  const started = await api.post(`${NODES}/${path}`, { ...body, dryRun });
  if (started.status !== 202) throw new Error(started.text);
  await api.runJobs();
  const job = (await api.get(String(started.headers.location))).body;
  const { dryRun: _dry, failures, ...counts } = job.result as Body & { failures: Body[] };
  const isOfEach = path === 'bulk:delete';
  const named = failures.map(({ id, code, field }) => `${isOfEach ? id : ''} ${code} ${field}`);
  return { state: job.state, processed: job.processed, ...counts, failures: named.sort() };
}
