import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { caseXml } from '../../helpers/workflow/case-xml.ts';
import { report, until, useFaultCloud } from '../harness/run.ts';
import { LAST_TASK, WORK_TOPIC, WORKFLOW } from '../harness/workflow-roles.ts';
import { type CaseEvent, eventsByCase, workflowVerdict } from '../harness/workflow-verdict.ts';

const CASES = 40;
const FIRINGS = 5;
const WORKS = 10;
const SETTLED_MS = 300_000;
const AT_ONCE = 4;

/** Timers of which many become due while nothing runs, and work of which each piece is a plan item. */
const MODEL = caseXml({
  key: WORKFLOW,
  plan: `
<planItem id="piStay" definitionRef="${LAST_TASK}"/><humanTask id="${LAST_TASK}" name="Stay"/>
<planItem id="piOften" definitionRef="often"/>
<timerEventListener id="often"><timerExpression>\${often}</timerExpression></timerEventListener>
<planItem id="piOnce" definitionRef="once"/>
<timerEventListener id="once"><timerExpression>\${once}</timerExpression></timerEventListener>
<planItem id="piWork" definitionRef="work"><itemControl><repetitionRule flowable:collectionVariable="works"/></itemControl></planItem>
<task id="work" name="Work" flowable:type="external-worker" flowable:topic="${WORK_TOPIC}"/>`,
});

const faults = useFaultCloud();
const { deploy, historyOf, module, sweepLater } = workflowVerdict(() => faults.cloud);

const startCases = (kind: string, variables: object): Promise<string[]> =>
  mapLimited(
    Array.from({ length: CASES }, (_, at) => `${kind}-${at}`),
    AT_ONCE,
    async (businessKey) => {
      const given = { often: 'P9D', once: 'P9D', works: [], ...variables };
      const wanted = { workflowCode: WORKFLOW, businessKey, variables: given };
      const { starter } = module().services.cases;
      const { caseInstanceId } = await starter.start(wanted, systemPrincipal);
      return caseInstanceId;
    },
  );

const firingsOf = (events: readonly CaseEvent[] = []): string[] =>
  events
    .filter(({ topic }) => topic === 'workflow.timer.fired')
    .map(({ data: { planItemDefinitionKey: key, dueAt } }) => `${dueAt} ${key}`);

async function firedSoFar(ids: readonly string[]): Promise<number> {
  const events = eventsByCase(await faults.cloud.items());
  return ids.reduce((sum, id) => sum + firingsOf(events.get(id)).length, 0);
}

/** Every event of a case has come once, in an unbroken row. */
function expectWhole(events: readonly CaseEvent[]): void {
  expect(events.map(({ data }) => data.sequence)).toEqual(events.map((_, at) => at + 1));
}

describe('everything stops and starts again', () => {
  beforeAll(() => deploy(MODEL), 60_000);

  it('while timers are due: each fires once, those of a case in order of due time', {
    timeout: 900_000,
  }, async () => {
    const all = CASES * (FIRINGS + 1);
    const ids = await startCases('timed', { often: `R${FIRINGS}/PT3S`, once: 'PT5S' });
    const startedAt = Date.now();
    const plan = { work: { keys: [], tasks: 0 } };
    faults.start({ role: 'workflow-sweeper', ...plan });
    await until('some timers have fired', async () => (await firedSoFar(ids)) > all / 10, {
      timeoutMs: SETTLED_MS,
    });

    await faults.stopAll();
    const before = await firedSoFar(ids);
    await sleep(Math.max(0, startedAt + (FIRINGS + 1) * 3_000 - Date.now()));
    const killPoints = ['before-commit', 'after-commit', 'workflow.after-chunk'];
    for (const killChance of [0.05, 0.05]) {
      faults.start({ role: 'workflow-sweeper', killChance, killPoints, maxKills: 20, ...plan });
    }
    await until('every timer has fired', async () => (await firedSoFar(ids)) >= all, {
      timeoutMs: SETTLED_MS,
      describe: () => firedSoFar(ids),
    });
    const kills = await faults.stopAll();
    await sweepLater();

    report('restart with timers due', { cases: CASES, timers: all, before, kills });
    expect(before).toBeLessThan(all);
    const items = await faults.cloud.items();
    const events = eventsByCase(items);
    for (const id of ids) {
      const told = events.get(id) ?? [];
      const firings = firingsOf(told);
      expect(firings).toHaveLength(FIRINGS + 1);
      expect(new Set(firings).size).toBe(FIRINGS + 1);
      expect(firings).toEqual(firings.toSorted());
      expectWhole(told);
      const types = await historyOf(id);
      expect(types.filter((type) => type === 'fireTimer')).toHaveLength(FIRINGS + 1);
    }
    const rows = items.filter(
      ({ pk, caseInstanceId }) =>
        String(pk).startsWith('TIMERDUE#') && ids.includes(String(caseInstanceId)),
    );
    expect(rows).toEqual([]);
  });

  it('while workers have work: leases go to others, and each piece is done once', {
    timeout: 900_000,
  }, async () => {
    const works = Array.from({ length: WORKS }, (_, at) => at);
    const ids = await startCases('worked', { works });
    const workers = ['w1', 'w2', 'w3'];
    for (const workerId of workers) {
      faults.start({
        role: 'workflow-worker',
        ...{ killChance: 0.03, killPoints: ['worker.leased', 'before-commit', 'after-commit'] },
        ...{ maxKills: 20, work: { keys: [], tasks: 0, workerId } },
      });
    }
    const open = async () =>
      (await faults.cloud.items()).filter(
        ({ pk, sk }) => String(pk).startsWith('WORK#') && sk === 'WORK',
      );
    await until('no work is left', async () => (await open()).length === 0, {
      timeoutMs: SETTLED_MS,
      describe: async () => (await open()).length,
    });
    const kills = await faults.stopAll();
    await sweepLater();

    const items = await faults.cloud.items();
    const stolen = items.filter(({ pk }) => String(pk).startsWith('HOST#lost#')).length;
    report('stolen leases', { cases: CASES, works: CASES * WORKS, stolen, kills });
    expect(stolen).toBeGreaterThan(0);
    expect(kills).toBeGreaterThan(0);
    const events = eventsByCase(items);
    const { reader } = module().services.cases;
    for (const id of ids) {
      const types = await historyOf(id);
      expect(types.filter((type) => type === 'completeExternalWork')).toHaveLength(WORKS);
      expectWhole(events.get(id) ?? []);
      const variables = (await reader.variables(id, systemPrincipal)) ?? {};
      const doneBy = Object.entries(variables).filter(([name]) => name.startsWith('by_'));
      expect(doneBy).toHaveLength(WORKS);
      expect(workers).toEqual(expect.arrayContaining(doneBy.map(([, by]) => String(by))));
    }
  });
});
