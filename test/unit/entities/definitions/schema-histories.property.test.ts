import { describe, expect, it } from 'vitest';
import { Checks } from '../../../helpers/schema-histories/checks.ts';
import { play, settle, type WideWrite } from '../../../helpers/schema-histories/history.ts';
import { writeWide } from '../../../helpers/schema-histories/wide-writes.ts';

/** More by `SCHEMA_HISTORIES=2000`, from another seed on by `SCHEMA_SEED=5000`. */
const HISTORIES = Number(process.env.SCHEMA_HISTORIES ?? 10);
const FIRST = Number(process.env.SCHEMA_SEED ?? 1);
const STEPS = 40;
/** Histories that have found errors. */
const FOUND = [110, 132];

async function tell(seed: number, wide?: WideWrite, isLong = false): Promise<string | undefined> {
  const history = await play(seed, STEPS, wide, isLong);
  try {
    await new Checks(history).some(history.random);
    await settle(history);
    const checks = new Checks(history);
    await checks.all();
    await checks.stored();
    await checks.uniques();
    return undefined;
  } catch (error) {
    return `seed ${seed}: ${(error as Error).stack}\n${history.log.join('\n')}`;
  }
}

describe('schema changes in a row, with writers, old definitions and killed jobs', () => {
  it.each(FOUND)(
    'leave what looking at every record finds: history %i',
    async (seed) => {
      expect(await tell(seed)).toBeUndefined();
    },
    60_000,
  );

  it('leave what looking at every record finds', async () => {
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
      expect(await tell(seed)).toBeUndefined();
    }
  }, 3_600_000);

  it('leave it with long texts, and where fields come back or take the place of others', async () => {
    for (let seed = FIRST; seed < FIRST + HISTORIES / 3; seed += 1) {
      expect(await tell(seed, seed % 2 ? writeWide : undefined, true)).toBeUndefined();
    }
  }, 3_600_000);

  it('leave it with references, a tree, bulk calls and imports, too', async () => {
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
      expect(await tell(seed, writeWide)).toBeUndefined();
    }
  }, 3_600_000);
});
