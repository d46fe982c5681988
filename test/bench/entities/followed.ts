import { FOLLOWED, followToEnd } from '../../helpers/entity-costs/followed.ts';
import type { World } from '../../helpers/entity-costs/world.ts';
import type { Figure } from '../benchmark.ts';

const PAGE_SIZES = [20, 200];
/** Most records of a world whose lists are followed: each page of some reads many where it is asked for elsewhere. */
const MAX_SIZE = 25_000;

/** What it costs to follow a list to its end, as a multiple of reading its records once. */
export async function followedFigures(world: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  if (world.size > MAX_SIZE) return figures;
  for (const followed of FOLLOWED) {
    for (const size of PAGE_SIZES) {
      for (const isElsewhere of [false, true]) {
        const { ratio } = await followToEnd(world, followed, { size, isElsewhere });
        const where = isElsewhere ? 'each page in another environment' : 'one environment';
        const what = `${followed.name}, followed, ${world.size} records, pages of ${size}, ${where}`;
        figures.push({ what, value: ratio, unit: 'x' });
      }
    }
  }
  return figures;
}
