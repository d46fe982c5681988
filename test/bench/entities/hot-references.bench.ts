import { setTimeout as sleep } from 'node:timers/promises';
import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { aContext } from '../../helpers/world/a-context.ts';
import { type Benchmark, type Figure, median } from '../benchmark.ts';

const CLIENTS = 16;
/** Rounds of each kind, by turns. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROUND_MS = 2_000;
/** A transaction holds its items for so long. */
const TRANSACTION_MS = 10;
/** What other requests take: nothing, or what is usual in one region. */
const REQUESTS_MS = [0, 3];
const SINGLE_REQUESTS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'BatchWriteItem'];
/** Records among which clients choose that do not meet. */
const MANY = 256;

const text = { type: 'string' };
const named = { type: 'object', properties: { name: text } };
const person = {
  type: 'object',
  properties: { name: text, team: { ...text, 'x-reference': { entity: 'team' } } },
};

type Body = Readonly<Record<string, string>>;

/** Records that all name one, and what they are compared with. */
interface Kind {
  readonly what: string;
  readonly entity: 'person' | 'node';
  readonly target: 'team' | 'node';
  readonly body: (target: string) => Body;
  readonly without: string;
  readonly bodyWithout: (targets: readonly string[]) => Body;
}

const one = (ids: readonly string[]): string => ids[Math.floor(Math.random() * MANY)] ?? '';
const withParent = (parentId: string): Body => ({ name: 'a', parentId });
const KINDS: readonly Kind[] = [
  {
    ...{ what: 'records that refer to one record', entity: 'person', target: 'team' },
    ...{ body: (team) => ({ name: 'a', team }), without: 'without a reference' },
    bodyWithout: () => ({ name: 'a' }),
  },
  {
    ...{ what: 'children of one record', entity: 'node', target: 'node', body: withParent },
    ...{ without: 'without a parent', bodyWithout: () => ({ name: 'a' }) },
  },
  {
    ...{ what: 'children of one record', entity: 'node', target: 'node', body: withParent },
    ...{ without: `of ${MANY} records`, bodyWithout: (ids) => withParent(one(ids)) },
  },
];

/** Clients that create records at the same time: what it costs them that all name one record. */
export default {
  name: 'Hot references',
  async run(say) {
    const figures: Figure[] = [];
    for (const requestMs of REQUESTS_MS) {
      for (const kind of KINDS) figures.push(await ratioOf(kind, requestMs, say));
    }
    return figures;
  },
} satisfies Benchmark;

async function ratioOf(
  { what, without, body, bodyWithout, ...kind }: Kind,
  requestMs: number,
  say: (line: string) => void,
): Promise<Figure> {
  const { create, targets } = await aWorld(kind, requestMs);
  const rates = { hot: [] as number[], without: [] as number[] };
  // The first round warms up, and shows the environment at which record transactions meet.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const floor = await rate(() => create(bodyWithout(targets)));
    const hot = await rate(() => create(body(targets[0] ?? '')));
    say(
      `${what}, requests of ${requestMs} ms: ${Math.round(hot)}, ${without} ${Math.round(floor)}`,
    );
    if (round > 0) rates.hot.push(hot);
    if (round > 0) rates.without.push(floor);
  }
  return {
    what: `${CLIENTS} clients create ${what}, transactions of ${TRANSACTION_MS} ms, other requests of ${requestMs} ms`,
    value: median(rates.hot),
    unit: 'creates/s',
    floor: { what: without, value: median(rates.without) },
    ...{ goal: 0.8, goalIs: 'at-least' },
  };
}

async function aWorld({ entity, target }: Pick<Kind, 'entity' | 'target'>, requestMs: number) {
  const pauseMs = (attempt = 1): number => Math.random() * 25 * 2 ** attempt;
  const context = aContext({ module: 'entities', pauseMs });
  const { definitionService, recordService, catalog } = createEntitiesModule(context).services;
  for (const code of ['team', 'node', 'person']) {
    const uiSchemaJson = code === 'person' ? person : named;
    const definition = { code, name: code, hierarchical: code === 'node', uiSchemaJson };
    await definitionService.create(definition, systemPrincipal);
  }
  const targetModel = await catalog.load(target);
  const targets: string[] = [];
  for (let at = 0; at < MANY; at += 1) {
    const { header } = await recordService.create(targetModel, { name: 'T' }, systemPrincipal);
    targets.push(header.id);
  }
  if (requestMs > 0) {
    for (const operation of SINGLE_REQUESTS) context.db.before(operation, () => sleep(requestMs));
  }
  context.db.holdTransactions(TRANSACTION_MS);
  const model = await catalog.load(entity);
  return { targets, create: (body: Body) => recordService.create(model, body, systemPrincipal) };
}

/** Calls a second of all clients together; a call that is refused ends the benchmark. */
async function rate(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let calls = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() - begun < ROUND_MS; calls += 1) await call();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (calls * 1_000) / (performance.now() - begun);
}
