import { describe, expect, it } from 'vitest';
import { createEntitiesModule } from '../../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

/** Units, in a tree unless told otherwise, whose bosses are units, and what deletions of them cost. */
async function withUnits(onDelete: 'restrict' | 'setNull' | 'none', hierarchical = false) {
  const context = aContext({ module: 'entities' });
  const { services } = createEntitiesModule(context);
  const boss = { type: 'string', 'x-reference': { entity: 'unit', onDelete } };
  await services.definitionService.create(
    {
      code: 'unit',
      name: 'Unit',
      hierarchical,
      uiSchemaJson: { type: 'object', properties: { name: { type: 'string' }, boss } },
    },
    systemPrincipal,
  );
  const model = await services.catalog.load('unit');
  const make = async (values: object): Promise<string> =>
    (await services.recordService.create(model, { name: 'a', ...values }, systemPrincipal)).header
      .id;
  const costOf = async (id: string, cascade = false) => {
    const call = () => services.deletionService.delete(model, id, systemPrincipal, { cascade });
    const { requests, readUnits, writeUnits } = await context.db.meter.costOf(call);
    return { requests: requests.length, readUnits, writeUnits };
  };
  return { make, costOf };
}

describe('what deletions cost', () => {
  it('of a record that others may refer to: three requests and 6 units to write more than of another', async () => {
    const { make, costOf } = await withUnits('restrict');

    expect(await costOf(await make({}))).toEqual({ requests: 5, readUnits: 4, writeUnits: 20 });
  });

  it('of a record that has its references cleared: the job starts with the commit', async () => {
    const { make, costOf } = await withUnits('setNull');
    const target = await make({});
    await make({ boss: target });

    const cost = await costOf(target);

    expect(cost.requests).toBeLessThanOrEqual(7);
  });

  it('of a subtree: 2.5 requests for each record, one of them for each field that may refer to it', async () => {
    const { make, costOf } = await withUnits('restrict', true);
    const root = await make({});
    for (let at = 0; at < 40; at += 1) await make({ parentId: root });

    const { requests } = await costOf(root, true);

    expect(requests / 41).toBeLessThan(2.5);
  });

  it.each([
    { shape: 'of one parent', children: 99, requests: 124 },
    { shape: 'with four children each', children: 4, requests: 169 },
    { shape: 'in a chain', children: 1, requests: 317 },
  ])('of 100 records $shape: $requests requests', async ({ children, requests }) => {
    const { make, costOf } = await withUnits('none', true);
    const ids = [await make({})];
    for (let at = 1; at < 100; at += 1) {
      ids.push(await make({ parentId: ids[Math.floor((at - 1) / children)] }));
    }

    expect((await costOf(ids[0] ?? '', true)).requests).toBe(requests);
  });
});
