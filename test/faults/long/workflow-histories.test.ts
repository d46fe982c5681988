import { describe, expect, it } from 'vitest';
import type { StoredFamily } from '../../../functions/workflow/store/families/family-store.ts';
import type { Fault } from '../../helpers/memory-dynamodb/faults.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { amountXml } from '../../helpers/workflow/bpmn-xml.ts';
import { caseXml } from '../../helpers/workflow/case-xml.ts';
import { casesIn, expectRowsOfStates } from '../../helpers/workflow/rows-of-states.ts';
import { aProcessApi, type operator } from '../../unit/workflow/bpmn/processes-api.ts';
import { amount, seed as firstSeed, report } from '../harness/run.ts';

const CMMN = '/api/v1/workflow/cmmn';
const TASKS = '/api/v1/tasks';
const STEPS = 28;
const AT_ONCE = 3;
const MINUTE = 60_000;
const FAULTS: readonly Fault[] = ['throttling', 'conflict', 'internal', 'network', 'answer-lost'];
const CLERKS = ['ann', 'bob', 'eve'].map((sub) => ({ sub, groups: ['clerks'] }));
const STATES = ['active', 'active', 'suspended', 'terminated', 'completed'] as const;

const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const PLAN = `
<planItem id="piEach" definitionRef="each">${EACH}</planItem>
<humanTask id="each" name="Each" flowable:candidateGroups="clerks" flowable:candidateUsers="zoe,kim" flowable:dueDate="P1D"/>
<planItem id="piWork" definitionRef="work">${EACH}</planItem>
<task id="work" name="Work" flowable:type="external-worker" flowable:topic="post"/>
<planItem id="piNews" definitionRef="news"><itemControl><repetitionRule/></itemControl></planItem>
<eventListener id="news" flowable:eventType="signal" flowable:signalRef="news"/>
<planItem id="piTimer" definitionRef="timer"/>
<timerEventListener id="timer"><timerExpression>R3/PT20M</timerExpression></timerEventListener>`;
const calls = (id: string, more = '') =>
  `<planItem id="pi${id}" definitionRef="${id}"/><caseTask id="${id}" name="${id}" ${more} caseRef="child">
<extensionElements><flowable:in source="all" target="all"/></extensionElements></caseTask>`;
const MODELS = {
  child: caseXml({ key: 'child', plan: PLAN }),
  loan: caseXml({
    plan: `${PLAN}${calls('awaited')}${calls('free', 'isBlocking="false"')}
<planItem id="piBack" definitionRef="back"/><eventListener id="back" flowable:eventType="reactivate"/>`,
  }),
};

type Body = Readonly<Record<string, unknown>>;
const idsIn = (list: unknown, name: string): string[] =>
  ((list ?? []) as readonly Body[]).map((each) => String(each[name]));

/** People, workers, operators and sweeps at the same cases at once, over a table that fails in every way. */
async function aHistory(seed: number) {
  const random = seededRandom(seed);
  const api = await aProcessApi(amountXml());
  const { context, runTask } = api;
  const trace: string[] = [];
  const send = async (method: string, path: string, body?: object, caller?: object) => {
    const answer = await api.send(method, path, body, caller as typeof operator);
    trace.push(`${method} ${path} ${JSON.stringify(body)} ${answer.status} ${answer.body.code}`);
    return answer;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const aCase = async () => {
    const { body } = await send('GET', `${CMMN}/cases?size=50&state=${pick(STATES)}`);
    const ids = idsIn(body.content, 'caseInstanceId');
    return `${CMMN}/cases/${ids.length > 0 ? pick(ids) : 'none'}`;
  };
  const someTasks = async (caller: object) => {
    const { body } = await send('GET', `${TASKS}?size=100&includeAssigned=true`, undefined, caller);
    const ids = idsIn(body.content, 'taskId');
    return ids.length > 0 ? [...new Set([pick(ids), pick(ids), pick(ids)])] : ['none'];
  };
  const acts: readonly (() => Promise<unknown>)[] = [
    () => {
      const all = Array.from({ length: 1 + Math.floor(random() * 9) }, (_, at) => at);
      return send('POST', `${CMMN}/cases`, { workflowCode: 'loan', variables: { all } });
    },
    async () => {
      const caller = pick(CLERKS);
      const taskIds = await someTasks(caller);
      await send(
        'POST',
        `${TASKS}/bulk`,
        { action: pick(['claim', 'complete', 'complete', 'unclaim']), taskIds },
        caller,
      );
    },
    async () => {
      const caller = pick(CLERKS);
      const [id = ''] = await someTasks(caller);
      const [verb, body] = pick([
        ['claim', {}],
        ['delegate', { assignee: 'bob' }],
        ['resolve', {}],
        ['complete', {}],
        ['save-draft', { formData: { a: 1 } }],
        ['comments', { text: 'seen' }],
      ] as const);
      await send('POST', `${TASKS}/${id}/${verb}`, body, caller);
    },
    async () => {
      const workerId = pick(CLERKS).sub;
      const wanted = { topic: 'post', workerId, max: 3, leaseMs: MINUTE };
      const { body } = await send('POST', `${CMMN}/external-work:fetch`, wanted);
      for (const id of idsIn(body.works, 'id')) {
        const verb = pick(['complete', 'complete', 'fail']);
        await send('POST', `${CMMN}/external-work/${id}:${verb}`, { workerId });
      }
    },
    () => send('POST', `${CMMN}/signals/news`, {}),
    async () => send('POST', `${await aCase()}:${pick(['suspend', 'resume', 'resume'])}`, {}),
    async () =>
      send('POST', `${await aCase()}:${pick(['terminate', 'complete', 'reactivate'])}`, {}),
    async () => send('DELETE', await aCase()),
    async () =>
      send('PUT', `${await aCase()}/variables`, { variables: { note: 'x'.repeat(3_000) } }),
    async () => {
      context.machineClock.advance(random() < 0.15 ? 1_500 * MINUTE : 5 * MINUTE);
      await runTask('workflow.sweep', {});
    },
  ];
  for (const [workflowCode, xml] of Object.entries(MODELS)) {
    const deployed = { workflowCode, xml, historyRetention: 'P1D' };
    expect((await send('POST', `${CMMN}/deployments`, deployed)).status).toBe(201);
  }
  for (let step = 0; step < STEPS; step += 1) {
    if (random() < 0.7) context.db.failAtRandom({ share: 0.04, seed: seed + step, faults: FAULTS });
    await Promise.allSettled(Array.from({ length: AT_ONCE }, () => pick(acts)()));
    context.db.stopFailing();
  }
  for (let round = 0; round < 4; round += 1) {
    context.machineClock.advance(6 * MINUTE);
    await runTask('workflow.sweep', {});
  }
  return { ...api, trace };
}

describe('cases that everybody changes at once, over a table that fails', () => {
  it('have the rows of their states, and tell of each completion once', {
    timeout: 3_600_000,
  }, async () => {
    const histories = amount({ long: 100, short: 2 });
    let requests = 0;
    for (let seed = firstSeed; seed < firstSeed + histories; seed += 1) {
      const { context, services, trace } = await aHistory(seed);
      const why = `seed ${seed}\n${trace.slice(-40).join('\n')}`;
      const items = context.db.items();
      const families = new Map<string, StoredFamily>();
      for (const id of casesIn(items)) {
        const family = await services().cases.families.load(id);
        if (family) families.set(family.familyId, family);
      }
      expectRowsOfStates({ items, families }, why);
      expect(
        trace.filter((line) => / 500 /.test(line)),
        why,
      ).toEqual([]);
      const completed = context.bus.events
        .filter(({ type }) => type === 'workflow.task.completed')
        .map(({ envelope }) => (envelope.data as Body).taskId);
      expect(completed, why).toHaveLength(new Set(completed).size);
      requests += trace.length;
    }
    report('histories of cases', { histories, requests });
  });
});
