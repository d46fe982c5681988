import { Session } from 'node:inspector/promises';

/** What is counted by default: the code of the engine and of the XML parsers below it. */
const ENGINE = /functions\/workflow\/domain\/|\/(?:moddle|moddle-xml|cmmn-moddle|saxen)\//;

/** One for the process. Code that is loaded before it starts is counted by functions, and not by blocks. */
const session = new Session();
session.connect();
await refuseLoaded();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

async function refuseLoaded(): Promise<void> {
  const loaded: string[] = [];
  session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
  await session.post('Debugger.enable');
  await session.post('Debugger.disable');
  if (!loaded.some((url) => ENGINE.test(url))) return;
  throw new Error('The engine is loaded already: name the tests that count in vitest.config.ts.');
}

async function takeSteps(counted: RegExp): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => counted.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0);
}

/**
 * Counts how often the blocks and functions of the engine run while something is done, as the coverage of the
 * language's debugger sees it. The count does not depend on the machine. What native functions do is not in it.
 */
export async function countSteps(work: () => unknown, counted = ENGINE): Promise<number> {
  await takeSteps(counted);
  await work();
  return takeSteps(counted);
}
