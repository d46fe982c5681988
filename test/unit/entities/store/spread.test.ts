import { describe, expect, it } from 'vitest';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { MeasuredValues } from '../../../helpers/entity-costs/measured-entity.ts';
import { unitsByPartition } from '../../../helpers/entity-costs/units-by-partition.ts';
import { aWorld } from '../../../helpers/entity-costs/world.ts';

const CREATES = 200;
/** Write units that AWS serves a second of one partition key. */
const UNITS_OF_KEY = 1_000;

/** How many creates a second the busiest of some partition keys allows. */
async function createsASecond(shards: number) {
  const { context, services, model } = await aWorld(0, { options: { shards } });
  const values = new MeasuredValues(3);
  const units = await unitsByPartition(context.db, async () => {
    for (let at = 0; at < CREATES; at += 1)
      await services.recordService.create(model, values.record(at), systemPrincipal);
  });
  return (UNITS_OF_KEY * CREATES) / Math.max(...units.values());
}

describe('writes of an entity are spread over partition keys', () => {
  it.each([
    { shards: 1, creates: 500 },
    { shards: 4, creates: 1_800 },
    { shards: 16, creates: 6_000 },
  ])(
    '$shards shards: $creates creates a second and more, with three words each',
    async ({ shards, creates }) => {
      expect(await createsASecond(shards)).toBeGreaterThanOrEqual(creates);
    },
  );
});
