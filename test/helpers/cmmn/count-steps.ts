import { Session } from 'node:inspector/promises';

/** What is counted by default: the code of the engine and of the XML parsers below it. */
const ENGINE = /functions\/workflow\/domain\/|\/(?:moddle|moddle-xml|cmmn-moddle|saxen)\//;

let counting: Promise<Session> | undefined;

/** One for the process: functions that have been counted once are not counted in full by a second one. */
async function startCounting(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return session;
}

async function takeSteps(session: Session, counted: RegExp): Promise<number> {
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
  counting ??= startCounting();
  const session = await counting;
  await takeSteps(session, counted);
  await work();
  return takeSteps(session, counted);
}
