import * as z from 'zod';
import type { Task } from '../../../../shared/lambda/module-context.ts';
import { Problem } from '../../../../shared/problems/problem.ts';
import { ScimPathError } from '../../domain/directory/scim-path.ts';
import { SourceError } from '../../providers/source-error.ts';
import { RunFileMissing } from '../../store/run-files.ts';
import type { Run, RunEnd, RunStart, StepResult } from '../run/run.ts';
import { endOf, StopRun } from '../run/stop.ts';
import { DepartmentStep } from './apply-departments.ts';
import { MissingStep } from './apply-missing.ts';
import { UserStep } from './apply-users.ts';
import { BeginStep } from './begin.ts';
import type { StepDependencies } from './dependencies.ts';
import { FinishStep } from './finish.ts';
import { PlanStep } from './plan.ts';
import { SnapshotStep } from './snapshot.ts';

/** What the state machine hands over; it comes from these steps alone. */
const run = z.custom<Run>((value) => typeof value === 'object' && value !== null);
const beginning = z.object({
  start: z.custom<RunStart>((value) => typeof value === 'object' && value !== null),
  owner: z.string(),
  time: z.string(),
});
const step = z.object({
  run,
  chunk: z.number().optional(),
  at: z.number().optional(),
  end: z.custom<RunEnd>().optional(),
  /** What became of each chunk. */
  applied: z.array(z.custom<StepResult>()).optional(),
});

/** Tasks of the state machine: the names of `sync.asl.json`. */
export function syncTasks(dependencies: StepDependencies): Readonly<Record<string, Task>> {
  const snapshot = new SnapshotStep(dependencies);
  const plan = new PlanStep(dependencies);
  const departments = new DepartmentStep(dependencies);
  const users = new UserStep(dependencies);
  const missing = new MissingStep(dependencies);
  const finish = new FinishStep(dependencies);
  const stepped =
    (work: (input: z.output<typeof step>) => Promise<StepResult>): Task =>
    (input) => {
      const given = step.parse(input);
      return asValue(given.run, () => work(given));
    };
  return {
    'sync-begin': async (input) => new BeginStep(dependencies).run(beginning.parse(input)),
    'sync-snapshot': stepped((given) => snapshot.run(given.run)),
    'sync-plan': stepped((given) => plan.run(given.run)),
    'sync-departments': stepped((given) => departments.run(given.run)),
    'sync-users': async (input) =>
      ofChunk(await stepped((given) => users.run(given.run, given.chunk ?? 0))(input)),
    'sync-missing': stepped((given) => {
      const { end } = given.applied?.find(({ outcome }) => outcome === 'STOP') ?? {};
      if (end) throw new StopRun(end);
      return missing.run(given.run, given.at);
    }),
    'sync-finish': async (input) => {
      const given = step.parse(input);
      return finish.run(given.run, given.end);
    },
    'sync-fail': async (input) => finish.run(step.parse(input).run, BROKEN),
  };
}

const BROKEN: RunEnd = {
  ...{ status: 'FAIL', reasonCode: 'STEP_FAILED' },
  desc: 'A step of the run failed again and again.',
};

/** What a chunk hands to the machine, which keeps the results of all of them: they must not exceed 256 KB together. */
function ofChunk(result: unknown): Pick<StepResult, 'outcome' | 'end'> {
  const { outcome, end } = result as StepResult;
  return end ? { outcome, end: { status: end.status, reasonCode: end.reasonCode } } : { outcome };
}

/** Ends that a step finds out are values; anything else is tried again by the machine. */
async function asValue(of: Run, work: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await work();
  } catch (error) {
    const end = expectedEnd(error);
    if (!end) throw error;
    return { outcome: 'STOP', run: of, end };
  }
}

function expectedEnd(error: unknown): RunEnd | undefined {
  if (error instanceof StopRun) return error.end;
  if (error instanceof SourceError) return endOf(error);
  if (error instanceof RunFileMissing) return { status: 'FAIL', reasonCode: 'PLAN_EXPIRED' };
  if (error instanceof ScimPathError) {
    return { status: 'FAIL', reasonCode: 'MAPPING_INVALID', desc: error.message };
  }
  const isFinal = error instanceof Problem && error.status < 500;
  return isFinal ? { status: 'FAIL', reasonCode: error.code, desc: error.detail } : undefined;
}
