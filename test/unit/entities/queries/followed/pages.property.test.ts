import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEntitiesModule } from '../../../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../../../shared/security/principal.ts';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import {
  findsWords,
  fits,
  type OracleRecord,
  sortBy,
} from '../../../../helpers/entity-queries/oracle.ts';
import {
  aQuery,
  aRecord,
  type RandomQuery,
} from '../../../../helpers/entity-queries/random-queries.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';
import { aContext } from '../../../../helpers/world/a-context.ts';
import { customerSchema } from '../../entities-api.ts';

const COUNT = 1_500;

/** How a page is asked for: by which environment, and whether the one before is asked for once more. */
const aStep = fc.record({ environment: fc.constantFrom(0, 0, 0, 1), isAgain: fc.boolean() });

async function aWorld(seed: number, options: object) {
  const context = aContext({ module: 'entities' });
  const environments = [0, 1].map(() => createEntitiesModule(context).services);
  const [first] = environments;
  if (!first) throw new Error('There is no environment');
  const { email: _email, ...properties } = customerSchema.properties;
  const uiSchemaJson = { ...customerSchema, properties };
  await first.definitionService.create(
    { code: 'c', name: 'C', uiSchemaJson, options },
    systemPrincipal,
  );
  const bodies = fc.sample(aRecord, { numRuns: COUNT, seed }) as Parameters<typeof loadRecords>[2];
  const ids = await loadRecords(context, 'c', bodies);
  const records = [...bodies].map((body, at): OracleRecord => ({ ...body, id: ids[at] ?? '' }));
  const model = await first.catalog.load('c');
  const pageAt = async (
    environment: number,
    parameters: Record<string, string>,
    cursor?: string,
  ) => {
    const call = { size: Number(parameters.size), count: 'none' as const, cursor, parameters };
    const services = environments[environment] ?? first;
    const { page } = await services.queryService.list(model, call, systemPrincipal);
    const { nextCursor, prevCursor, content } = page;
    return { ids: content.map(({ id }) => id), nextCursor, prevCursor };
  };
  return { records, pageAt };
}

type World = Awaited<ReturnType<typeof aWorld>>;

/** The pages of a list, first to last, and the cursor that leads back from the last one. */
async function forward(
  { pageAt }: World,
  parameters: Record<string, string>,
  steps: Iterable<{ readonly environment: number; readonly isAgain: boolean }>,
) {
  const pages: (readonly string[])[] = [];
  let cursor: string | undefined;
  for (const { environment, isAgain } of steps) {
    const page = await pageAt(environment, parameters, cursor);
    if (isAgain) expect((await pageAt(0, parameters, cursor)).ids).toEqual(page.ids);
    pages.push(page.ids);
    if (!page.nextCursor) return { pages, last: page.prevCursor };
    cursor = page.nextCursor;
  }
  throw new Error('There are no more steps');
}

async function backward(
  { pageAt }: World,
  parameters: Record<string, string>,
  last: string | null,
): Promise<(readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for (let cursor = last; cursor !== null; ) {
    const page = await pageAt(0, parameters, cursor);
    pages.unshift(page.ids);
    cursor = page.prevCursor;
  }
  return pages;
}

function expected({ records }: World, { filter, q, sort }: RandomQuery): string[] {
  const found = records.filter(
    (record) => fits(record, filter) && (q === undefined || findsWords(record, q)),
  );
  return sortBy(found, sort).map(({ id }) => id);
}

describe.each([
  { seed: 4, options: {} },
  { seed: 5, options: { shards: 3 } },
])('a list of many pages (seed $seed)', { timeout: propertyRuns(300_000) }, ({ seed, options }) => {
  let world: World;

  beforeAll(async () => {
    world = await aWorld(seed, options);
  }, 60_000);

  it('shows each record once and in order, whichever environment answers, and pages again as they were', async () => {
    const steps = fc.infiniteStream(aStep);
    const sizes = fc.constantFrom(20, 45, 200);
    await fc.assert(
      fc.asyncProperty(aQuery, sizes, steps, async (query, size, ways) => {
        const { filter, q, sort } = query;
        const parameters = {
          ...{ filter: JSON.stringify(filter), size: String(size) },
          ...(q && { q }),
          ...(sort && { sort }),
        };

        const { pages, last } = await forward(world, parameters, ways);
        const back = await backward(world, parameters, last);

        expect(pages.flat()).toEqual(expected(world, query));
        expect(back).toEqual(pages.slice(0, -1));
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});
