import { beforeAll, describe, expect, it } from 'vitest';
import { caseXml } from '../helpers/workflow/case-xml.ts';
import { outboxRows, report, size, until, useFaultCloud } from './harness/run.ts';
import { LAST_TASK, WORKFLOW } from './harness/workflow-roles.ts';
import { eventsByCase, workflowVerdict } from './harness/workflow-verdict.ts';

const CASES = size({ long: 20, short: 1 });
/** More of them than one transaction takes with their rows and events. */
const TASKS = size({ long: 150, short: 30 });
const MAX_KILLS = size({ long: 40, short: 2 });
const FIRINGS = 3;
const POINTS = [
  'before-commit',
  'after-commit',
  'before-send',
  'after-send',
  'before-mark',
  'workflow.after-chunk',
];

/** A task for each entry of a collection, one that keeps the case open, and a timer that opens a task three times. */
const MODEL = caseXml({
  key: WORKFLOW,
  plan: `
<planItem id="piEach" definitionRef="each"><itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl></planItem>
<humanTask id="each" name="Each" flowable:candidateGroups="clerks"/>
<planItem id="piStay" definitionRef="${LAST_TASK}"/><humanTask id="${LAST_TASK}" name="Stay"/>
<planItem id="piTimer" definitionRef="timer"/>
<timerEventListener id="timer"><timerExpression>R${FIRINGS}/PT1S</timerExpression></timerEventListener>
<planItem id="piChase" definitionRef="chase"><itemControl><repetitionRule/></itemControl><entryCriterion id="c1" sentryRef="s1"/></planItem>
<humanTask id="chase" name="Chase"/>
<sentry id="s1"><planItemOnPart id="p1" sourceRef="piTimer"><standardEvent>occur</standardEvent></planItemOnPart></sentry>`,
});

const keys = Array.from({ length: CASES }, (_, at) => `case-${at}`);
const faults = useFaultCloud();
const { deploy, historyOf, idOf, openOf, sweepLater } = workflowVerdict(() => faults.cloud);

const times = (count: number, what: string): string[] => Array.from({ length: count }, () => what);

describe('processes of cases that are killed', () => {
  beforeAll(() => deploy(MODEL), 60_000);

  it('lose no task, complete none twice, fire each timer once and tell of everything', {
    timeout: 1_800_000,
  }, async () => {
    const plan = { killPoints: POINTS, maxKills: MAX_KILLS, work: { keys, tasks: TASKS } };
    const killChance = size({ long: 0.01, short: 0.05 });
    const callers = [0, 1].map(() =>
      faults.start({ role: 'workflow-caller', killChance, ...plan }),
    );
    await Promise.all(callers.map(({ done }) => done));
    // Nobody has swept meanwhile: the timers are due when somebody does.
    const sweepers = [0, 1].map(() =>
      faults.start({ role: 'workflow-sweeper', killChance: 0.2, ...plan }),
    );
    const ids = await Promise.all(keys.map(idOf));
    const wanted = [...times(FIRINGS, 'chase'), LAST_TASK];
    await until(
      'every timer has fired',
      async () => (await openOf(ids.at(-1) ?? '')).length === wanted.length,
      { timeoutMs: 300_000, describe: () => openOf(ids.at(-1) ?? '') },
    );
    faults.start({ role: 'relay' });
    await until(
      'every event is sent',
      async () => outboxRows(await faults.cloud.items()).every(({ status }) => status === 'SENT'),
      { timeoutMs: 120_000 },
    );
    const kills = await faults.stopAll();
    await sweepLater();

    report('workflow kills', { cases: CASES, tasks: TASKS, kills });
    expect(kills).toBeGreaterThan(0);
    expect(sweepers).toHaveLength(2);
    const items = await faults.cloud.items();
    const events = eventsByCase(items);
    for (const id of ids) {
      expect(await openOf(id)).toEqual(wanted);
      expect((await historyOf(id)).sort()).toEqual([
        ...times(TASKS, 'completeTask'),
        ...times(FIRINGS, 'fireTimer'),
        'start',
      ]);
      const tasks = items.filter(
        ({ type, caseInstanceId }) => type === 'task' && caseInstanceId === id,
      );
      const done = tasks.filter(({ status }) => status === 'COMPLETED').map(({ taskId }) => taskId);
      expect(done).toHaveLength(TASKS);
      const told = events.get(id) ?? [];
      expect(told.map(({ data }) => data.sequence)).toEqual(told.map((_, at) => at + 1));
      expect(
        told
          .filter(({ topic }) => topic === 'workflow.task.completed')
          .map(({ data }) => data.taskId)
          .sort(),
      ).toEqual(done.sort());
    }
    const left = items.filter(({ pk }) => pk === 'CASEREST');
    expect(left).toEqual([]);
  });
});
