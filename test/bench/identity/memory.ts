import { linksOf, pagesOf, planned } from './reading.ts';

/*
 * Compares as many users as its argument says with as many accounts, in a process of its own, and prints the most memory
 * that the process has had (MB).
 */
const count = Number(process.argv[2]);
const { unchanged } = planned(pagesOf(count), count, [...linksOf(pagesOf(count), count)]);
if (unchanged !== count) throw new Error(`${unchanged} of ${count} users are unchanged`);
process.stdout.write(String(process.resourceUsage().maxRSS / 1_024));
