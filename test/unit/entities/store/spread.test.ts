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
  return (isMeant: (partition: string) => boolean): number => {
    const busiest = [...units].filter(([partition]) => isMeant(partition)).map(([, sum]) => sum);
    return (UNITS_OF_KEY * CREATES) / Math.max(...busiest);
  };
}

const isOfWords = (partition: string): boolean => partition.includes('#~w#');

describe('writes of an entity are spread over partition keys', () => {
  it.each([
    { shards: 1, creates: 500, withWords: 166 },
    { shards: 4, creates: 1_800, withWords: 600 },
    { shards: 16, creates: 6_000, withWords: 2_000 },
  ])(
    '$shards shards: $creates creates a second and more',
    async ({ shards, creates, withWords }) => {
      const allowedBy = await createsASecond(shards);

      expect(allowedBy((partition) => !isOfWords(partition))).toBeGreaterThanOrEqual(creates);
      // Three words of each record: the service splits such a key by the words, as they come in no order.
      expect(allowedBy(isOfWords)).toBeGreaterThanOrEqual(withWords);
    },
  );
});
