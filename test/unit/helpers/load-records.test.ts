import { describe, expect, it } from 'vitest';
import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { loadRecords } from '../../helpers/entity-costs/load-records.ts';
import { MeasuredValues, measuredEntity } from '../../helpers/entity-costs/measured-entity.ts';
import { aContext } from '../../helpers/world/a-context.ts';

type Items = readonly Readonly<Record<string, unknown>>[];

const isCounter = ({ pk }: Items[number]): boolean => String(pk).startsWith('DYN_COUNTER#');
const inOrder = (items: Items): Items =>
  items.toSorted((one, other) => (`${one.pk}\n${one.sk}` < `${other.pk}\n${other.sk}` ? -1 : 1));

/** Counters are spread over items by chance; their sums are not. */
function counted(items: Items): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { pk: _pk, sk: _sk, ...counters } of items.filter(isCounter))
    for (const [name, count] of Object.entries(counters))
      sums[name] = (sums[name] ?? 0) + Number(count);
  return sums;
}

const bodies = () => {
  const values = new MeasuredValues(5);
  return Array.from({ length: 120 }, (_, at) => ({
    id: `00000000-0000-7000-9000-${String(at).padStart(12, '0')}`,
    ...values.record(at),
  }));
};

async function anEntity(options: object) {
  const context = aContext({ module: 'entities' });
  const { services } = createEntitiesModule(context);
  await services.definitionService.create({ ...measuredEntity, options }, systemPrincipal);
  const model = await services.catalog.load(measuredEntity.code);
  return { context, services, model };
}

describe('records that are loaded for measuring', () => {
  it.each([1, 4])('are the items that the service writes (%i shards)', async (shards) => {
    const { context } = await anEntity({ shards });
    await loadRecords(context, measuredEntity.code, bodies());
    const loaded = context.db.items();
    const usual = await anEntity({ shards });
    for (const body of bodies())
      await usual.services.recordService.create(usual.model, body, systemPrincipal);
    const created = usual.context.db.items();

    expect(inOrder(loaded.filter((item) => !isCounter(item)))).toEqual(
      inOrder(created.filter((item) => !isCounter(item))),
    );
    expect(counted(loaded)).toEqual(counted(created));
    expect(counted(loaded).n).toBe(120);
  });
});
