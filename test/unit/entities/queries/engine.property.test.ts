import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEntitiesModule, type EntitiesModule } from '../../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import {
  findsWords,
  fits,
  type OracleRecord,
  sortBy,
} from '../../../helpers/entity-queries/oracle.ts';
import {
  aQuery,
  aRecord,
  type RandomQuery,
} from '../../../helpers/entity-queries/random-queries.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { aContext, type TestContext } from '../../../helpers/world/a-context.ts';
import { customerSchema } from '../entities-api.ts';

interface World {
  readonly services: EntitiesModule['services'];
  readonly context: TestContext;
  readonly records: readonly OracleRecord[];
}

async function aWorld(count: number, seed: number, options: object): Promise<World> {
  const context = aContext({ module: 'entities' });
  const { services } = createEntitiesModule(context);
  const { email: _email, ...properties } = customerSchema.properties;
  const uiSchemaJson = { ...customerSchema, properties };
  await services.definitionService.create(
    { code: 'c', name: 'C', uiSchemaJson, options },
    systemPrincipal,
  );
  const model = await services.catalog.load('c');
  const bodies = fc.sample(aRecord, { numRuns: count, seed });
  const results = [];
  for (let at = 0; at < bodies.length; at += 200) {
    const part = bodies.slice(at, at + 200).map((body, index) => ({ index: at + index, body }));
    results.push(...(await services.bulkService.createMany(model, part, systemPrincipal)));
  }
  const records = results.map(({ index, id = '' }) => ({ ...bodies[index], id }));
  return { services, context, records };
}

async function list(
  { services }: World,
  { filter, q, sort, page, size }: RandomQuery,
  more: object = {},
) {
  const model = await services.catalog.load('c');
  const parameters = {
    filter: JSON.stringify(filter),
    ...(q && { q }),
    ...(sort && { sort }),
    size: String(size),
  };
  const { page: found } = await services.queryService.list(
    model,
    { page, size, parameters, ...more },
    systemPrincipal,
  );
  return found;
}

function expected({ records }: World, { filter, q, sort }: RandomQuery): string[] {
  const found = records.filter(
    (record) => fits(record, filter) && (q === undefined || findsWords(record, q)),
  );
  return sortBy(found, sort).map(({ id }) => id);
}

function byId({ records }: World, ids: readonly string[]): OracleRecord[] {
  const wanted = new Set(ids);
  return records.filter(({ id }) => wanted.has(id));
}

describe.each([
  { count: 90, seed: 1, runs: propertyRuns(200), options: {} },
  { count: 700, seed: 2, runs: propertyRuns(40), options: {} },
  { count: 260, seed: 3, runs: propertyRuns(130), options: { shards: 4 } },
])(
  'a list over $count records (seed $seed)',
  { timeout: propertyRuns(300_000) },
  ({ count, seed, runs, options }) => {
    let world: World;

    beforeAll(async () => {
      world = await aWorld(count, seed, options);
    }, 60_000);

    it('has the records, the order and the total that looking at every record gives', async () => {
      await fc.assert(
        fc.asyncProperty(aQuery, async (query) => {
          const all = expected(world, query);

          const found = await list(world, query);

          const from = query.page * query.size;
          expect(found.content.map(({ id }) => id)).toEqual(all.slice(from, from + query.size));
          expect(found.totalElements).toBe(all.length);
          expect(found.complete).toBe(true);
        }),
        { numRuns: runs, seed },
      );
    });

    it('counts what looking at every record counts, as a whole and by value', async () => {
      const { services } = world;
      const model = await services.catalog.load('c');
      await fc.assert(
        fc.asyncProperty(aQuery, async (query) => {
          const all = expected(world, query);
          const parameters = {
            filter: JSON.stringify(query.filter),
            ...(query.q && { q: query.q }),
          };

          const count = await services.queryService.count(model, parameters, systemPrincipal);
          const { facets, isExact } = await services.queryService.facets(
            model,
            ['status', 'active'],
            parameters,
            systemPrincipal,
          );

          expect(count).toEqual({ count: all.length, relation: 'eq' });
          expect(isExact).toBe(true);
          for (const field of ['status', 'active']) {
            const values = Map.groupBy(byId(world, all), (record) => record[field] ?? null);
            const counted = new Map(facets[field]?.map(({ value, count }) => [value, count]));
            expect(counted).toEqual(
              new Map([...values].map(([value, { length }]) => [value, length])),
            );
          }
        }),
        { numRuns: Math.ceil(runs / 3), seed },
      );
    });

    it('shows every record once when its cursors are followed, and the same pages on the way back', async () => {
      await fc.assert(
        fc.asyncProperty(aQuery, async (query) => {
          const all = expected(world, query).slice(0, query.size * 8);
          const pageAt = (cursor?: string) =>
            list(world, { ...query, page: 0 }, { cursor, count: 'none' });

          const pages = [await pageAt()];
          for (let seen = query.size; seen < all.length; seen += query.size) {
            pages.push(await pageAt(pages.at(-1)?.nextCursor ?? undefined));
          }
          const back: typeof pages = [];
          for (let page = pages.at(-1); page?.prevCursor; page = back.at(-1)) {
            back.push(await pageAt(page.prevCursor));
          }
          const again = back[0]?.nextCursor && (await pageAt(back[0].nextCursor));

          const idsOf = ({ content }: (typeof pages)[number]) => content.map(({ id }) => id);
          expect(pages.flatMap(idsOf)).toEqual(all.slice(0, pages.length * query.size));
          expect(pages[0]?.prevCursor).toBeNull();
          expect(back.map(idsOf)).toEqual(pages.slice(0, -1).map(idsOf).toReversed());
          expect(back.map(({ number }) => number)).toEqual([...back.keys()].toReversed());
          if (again) expect(idsOf(again)).toEqual(pages.slice(-1).flatMap(idsOf));
        }),
        { numRuns: Math.ceil(runs / 5), seed },
      );
    });
  },
);
