import type { EntityModel } from '../../functions/entities/domain/model.ts';
import { createEntitiesModule, type EntitiesModule } from '../../functions/entities/index.ts';
import { systemPrincipal } from '../../shared/security/principal.ts';
import { aContext, type TestContext } from '../helpers/a-context.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';

/** Sizes of the entity; `BENCH_RECORDS=1000,1000000` measures others. The first one is what the others are held against. */
const SIZES = (process.env.BENCH_RECORDS ?? '1000,10000,100000').split(',').map(Number);
const ROUNDS = 5;
const CPU_CALLS = 200;
const FLAT = ['detail', 'list, newest', 'eq', 'range', 'prefix', 'sort'];

/** What the records of an entity cost as requests and capacity units, and how that grows with their number. */
export default {
  name: 'Entities',
  async run(say) {
    const figures: Figure[] = [];
    const floors = new Map<string, Cost>();
    for (const size of SIZES) {
      const startedAt = performance.now();
      const world = await aWorld(size);
      say(`${size} records stored in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      for (const { name, run, budget } of operations(world)) {
        const cost = await costOf(world, run);
        const floor = floors.get(name);
        if (!floor) floors.set(name, cost);
        figures.push(...toFigures(name, size, cost, floor, budget));
      }
      if (size === SIZES[0]) figures.push(await cpuOfList(world));
    }
    return figures;
  },
} satisfies Benchmark;

interface World {
  readonly context: TestContext;
  readonly services: EntitiesModule['services'];
  readonly model: EntityModel;
  readonly size: number;
  readonly ids: readonly string[];
}

interface Cost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const cities = Array.from({ length: 63 }, (_, at) => `Tỉnh ${at}`);

const uiSchemaJson = {
  type: 'object',
  'x-indexes': [['status', 'dueDate']],
  properties: {
    name: { type: 'string' },
    code: { type: 'string', 'x-unique': true },
    status: { type: 'string', enum: ['new', 'open', 'wip', 'done', 'closed'] },
    priority: { type: 'integer' },
    city: { type: 'string' },
    amount: { type: 'number' },
    dueDate: { type: 'string', format: 'date' },
    active: { type: 'boolean' },
    email: { type: 'string', format: 'email' },
    notes: { type: 'string', format: 'textarea' },
  },
};

const aRecord = (at: number): Readonly<Record<string, unknown>> => ({
  name: `Nguyễn Văn ${String((at * 7_919) % 1_000_003).padStart(7, '0')}`,
  code: `C-${at}`,
  status: ['new', 'open', 'wip', 'done', 'closed'][at % 5],
  priority: at % 3,
  city: cities[(at * 31) % 63],
  amount: (at * 104_729) % 1_000_003,
  dueDate: new Date(Date.UTC(2026, 0, 1) + ((at * 13) % 365) * 86_400_000)
    .toISOString()
    .slice(0, 10),
  active: at % 2 === 0,
  email: `u${at}@example.com`,
});

async function aWorld(size: number): Promise<World> {
  const context = aContext({ module: 'entities' });
  const { services } = createEntitiesModule(context);
  const definition = { code: 'customer', name: 'Customer', uiSchemaJson };
  await services.definitionService.create(definition, systemPrincipal);
  const model = await services.catalog.load('customer');
  const ids: string[] = [];
  for (let from = 0; from < size; from += 500) {
    const bodies = Array.from({ length: Math.min(500, size - from) }, (_, at) => ({
      index: from + at,
      body: aRecord(from + at),
    }));
    const results = await services.bulkService.createMany(model, bodies, systemPrincipal);
    if (ids.length < 5_000) ids.push(...results.flatMap(({ id }) => id ?? []));
    context.db.meter.reset();
  }
  return { context, services, model, size, ids };
}

interface Operation {
  readonly name: string;
  readonly run: (round: number) => Promise<unknown>;
  /** Most capacity units of one call. */
  readonly budget?: number;
}

function operations({ services, model, size, ids }: World): Operation[] {
  const { queryService, recordReader, recordService, deletionService } = services;
  const list =
    (parameters: Readonly<Record<string, string>>, more: { page?: number; count?: 'auto' } = {}) =>
    (): Promise<unknown> =>
      queryService.list(model, { size: 20, count: 'none', ...more, parameters }, systemPrincipal);
  const id = (round: number): string => ids[(round * 37) % ids.length] ?? '';
  return [
    {
      name: 'detail',
      run: (round) => recordReader.get(model, id(round), systemPrincipal),
      budget: 1,
    },
    { name: 'list, newest', run: list({}), budget: 11 },
    {
      name: 'last page',
      run: list({}, { page: Math.ceil(size / 20) - 1, count: 'auto' }),
      budget: 11.5,
    },
    { name: 'eq', run: list({ status: 'open' }), budget: 11 },
    { name: 'unique eq', run: list({ code: 'C-77' }), budget: 2 },
    { name: 'range', run: list({ 'amount[gte]': '500', sort: 'amount' }), budget: 11 },
    { name: 'prefix', run: list({ 'name[startsWith]': 'nguyen van 0', sort: 'name' }), budget: 11 },
    { name: 'sort', run: list({ sort: '-amount' }), budget: 11 },
    { name: 'two filters', run: list({ status: 'open', priority: '1' }), budget: 40 },
    {
      name: 'filter + sort, composite',
      run: list({ status: 'open', sort: 'dueDate' }),
      budget: 11,
    },
    { name: 'filter + sort, no composite', run: list({ city: 'Tỉnh 5', sort: 'amount' }) },
    { name: 'q', run: list({ q: 'nguyen' }) },
    {
      name: 'count by facet',
      run: () => queryService.count(model, { status: 'open' }, systemPrincipal),
      budget: 0.5,
    },
    {
      name: 'count by range',
      run: () => queryService.count(model, { 'amount[lt]': '5000' }, systemPrincipal),
    },
    {
      name: 'create',
      run: (round) =>
        recordService.create(model, aRecord(10_000_000 + size + round), systemPrincipal),
      budget: 34,
    },
    {
      name: 'update',
      run: (round) =>
        recordService.update(model, id(round), { notes: `n${round}` }, systemPrincipal),
      budget: 3,
    },
    {
      name: 'delete',
      run: (round) => deletionService.delete(model, id(round + 1_000), systemPrincipal),
      budget: 38,
    },
  ];
}

async function costOf({ context }: World, run: Operation['run']): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { requests, readUnits, writeUnits } = await context.db.meter.costOf(() => run(round));
    costs.push({ requests: requests.length, readUnits, writeUnits });
  }
  const middle = (read: (cost: Cost) => number): number => median(costs.map(read));
  return {
    requests: middle(({ requests }) => requests),
    readUnits: middle(({ readUnits }) => readUnits),
    writeUnits: middle(({ writeUnits }) => writeUnits),
  };
}

function toFigures(
  name: string,
  size: number,
  { requests, readUnits, writeUnits }: Cost,
  floor: Cost | undefined,
  budget: number | undefined,
): Figure[] {
  const what = `${name}, ${size} records`;
  const units = readUnits + writeUnits;
  const grown = {
    what: `${what}: capacity units`,
    value: units,
    unit: 'units',
    ...(floor && {
      floor: { what: `at ${SIZES[0]}`, value: floor.readUnits + floor.writeUnits },
    }),
  };
  const isHeld = floor !== undefined && FLAT.includes(name);
  return [
    { what: `${what}: requests`, value: requests, unit: 'requests' },
    isHeld ? { ...grown, goal: 1.1 } : grown,
    ...(budget === undefined
      ? []
      : [{ what: `${what}: within its budget`, value: units, unit: 'units', goal: budget }]),
  ];
}

/** Time of this process for one list of 20, without the time of the table in memory being known apart. */
async function cpuOfList({ services, model }: World): Promise<Figure> {
  const call = { size: 20, count: 'none' as const, parameters: { status: 'open' } };
  const times: number[] = [];
  for (let at = 0; at < CPU_CALLS; at += 1) {
    const before = process.cpuUsage();
    await services.queryService.list(model, call, systemPrincipal);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return {
    what: 'list of 20, CPU with the table in memory',
    value: median(times),
    unit: 'ms',
    goal: 3,
  };
}
