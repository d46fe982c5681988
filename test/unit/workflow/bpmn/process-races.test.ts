// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../../helpers/memory-dynamodb/faults.ts';
import { amountXml, bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { ann, aProcessApi, operator, PROCESSES } from './processes-api.ts';

const CMMN = '/api/v1/workflow/cmmn';
const TASKS = '/api/v1/tasks';
type Body = Readonly<Record<string, unknown>>;

const MANY = ['t0', 't1', 't2', 't3'];
const VALUES = Array.from({ length: 13 }, (_, at) => `v${at}`);
/** Tasks, two events and a timer at once, which all meet. */
const XML = bpmnXml(
  `<startEvent id="s"/><parallelGateway id="fork"/>${flow('s', 'fork')}
  ${MANY.map((id) => userTask(id)).join('')}
  <receiveTask id="wait" messageRef="paid"/>
  <intermediateCatchEvent id="hold"><signalEventDefinition signalRef="go"/></intermediateCatchEvent>
  <intermediateCatchEvent id="late"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>
  <parallelGateway id="join"/>${userTask('last')}
  ${[...MANY, 'wait', 'hold', 'late'].map((id) => chain('fork', id, 'join')).join('')}${flow('join', 'last')}`,
  { beside: '<message id="paid" name="Paid"/><signal id="go" name="Go"/>' },
);

/** What is stored of cases, processes and tasks, without names that differ from run to run. */
const stored = (items: readonly Body[]): Record<string, number> => {
  const kinds = items
    .filter(({ type, pk }) => type !== 'message' && !String(pk).startsWith('message'))
    .map(({ type, pk }) => String(type ?? String(pk).split('#')[0]));
  return Object.fromEntries(
    [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]).sort(),
  );
};

describe('commands on one instance at the same time', () => {
  it('all arrive, each once: tasks, a message, a signal, variables and a timer', async () => {
    const { start, send, waiting, read, services, context, events } = await aProcessApi(XML);
    const { id, activities } = await start();
    const taskOf = new Map(activities.map(({ activityId, taskId }) => [activityId, taskId]));
    context.machineClock.advance(3_700_000);
    const post = (path: string, body: object) => send('POST', `${PROCESSES}/${id}/${path}`, body);

    /** As a client does whose command has met too many others. */
    const persist = async (ask: () => ReturnType<typeof send>) => {
      let answer = await ask();
      while (answer.body.code === 'CONCURRENT_UPDATE') answer = await ask();
      return answer;
    };
    const asks = [
      ...MANY.map(
        (key) => () =>
          send('POST', `${TASKS}/${taskOf.get(key)}/complete`, { variables: { [key]: 1 } }, ann),
      ),
      () => post('message', { messageName: 'Paid', payload: { paid: 1 } }),
      () => post('signal', { signalName: 'Go' }),
      ...VALUES.map((name) => () => send('PUT', `${PROCESSES}/${id}/variables`, { [name]: 1 })),
    ];

    const [answers] = await Promise.all([
      Promise.all(asks.map(persist)),
      services().timers.sweep.run(),
    ]);
    await services().timers.sweep.run();

    expect(answers.map(({ status, body }) => body.code ?? status)).toEqual(answers.map(() => 200));
    expect(await waiting(id)).toEqual(['last']);
    const { variables } = await read(id);
    expect(Object.keys(variables as Body).sort()).toEqual([...MANY, ...VALUES, 'paid'].sort());
    const history = await send('GET', `${PROCESSES}/${id}/history?size=100`);
    expect(history.body.numberOfElements).toBe(21);
    const numbers = context.bus.events
      .map(({ envelope }) => envelope.data as Body)
      .filter(({ processInstanceId }) => processInstanceId === id)
      .map(({ sequence }) => Number(sequence));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
    expect(events('workflow.task.completed')).toHaveLength(MANY.length);
  });

  it('of which one only can succeed leave the others a conflict', async () => {
    const { start, send, events } = await aProcessApi(amountXml());
    const { id, activities } = await start({ amount: 1 });
    const path = `${TASKS}/${activities[0]?.taskId}/complete`;

    const answers = await Promise.all([
      ...Array.from({ length: 19 }, () => send('POST', path, {}, ann)),
      send('POST', `${PROCESSES}/${id}/terminate`, {}),
    ]);

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(409)]);
    const ends = ['completed', 'terminated'].flatMap((end) => events(`workflow.process.${end}`));
    expect(ends).toHaveLength(1);
  });

  it('arrive while the table is throttled and in conflict', async () => {
    const { start, send, waiting, context } = await aProcessApi(XML);
    const { id, activities } = await start();
    const tasks = activities.filter(({ activityId }) => activityId.startsWith('t'));
    context.db.failAtRandom({ share: 0.2, seed: 7 });

    const complete = async (taskId: unknown): Promise<number> => {
      for (let tries = 0; tries < 20; tries += 1) {
        const { status } = await send('POST', `${TASKS}/${taskId}/complete`, {}, ann);
        if (status === 200 || status === 409) return status;
      }
      return 0;
    };
    const statuses = await Promise.all(tasks.map(({ taskId }) => complete(taskId)));
    context.db.stopFailing();

    expect(statuses.every((status) => status > 0)).toBe(true);
    expect(await waiting(id)).toEqual(['hold', 'late', 'wait']);
  });
});

const CALLING = caseXml({
  plan: `<planItem id="pi" definitionRef="call"/>
    <processTask id="call" name="Order">
      <extensionElements><flowable:in source="sum" target="amount"/><flowable:out source="approved" target="isApproved"/></extensionElements>
      <processRefExpression>order</processRefExpression>
    </processTask>`,
});

/** A case whose process is done within it, with writes that fail from one of them on. */
async function journey(failing?: {
  readonly step: 'start' | 'complete' | 'terminate';
  readonly fault: Fault;
  readonly after: number;
}) {
  const { send, context, runTask } = await aProcessApi(amountXml());
  await send('POST', `${CMMN}/deployments`, { workflowCode: 'loan', xml: CALLING });
  /** Asks until there is an answer that stands; the first times the writes fail. */
  const ask = async (step: string, path: string, body: object, caller = operator) => {
    const isStruck = failing?.step === step;
    if (isStruck) {
      const { fault, after } = failing;
      const times = fault === 'answer-lost' ? 1 : 1_000;
      context.db.failNext(fault, { operation: 'TransactWriteItems', after, times });
    }
    const headers = { 'idempotency-key': step };
    const first = await send('POST', path, body, caller, headers);
    context.db.stopFailing();
    return first.status < 500 ? first : send('POST', path, body, caller, headers);
  };
  const settle = async () => {
    for (let round = 0; round < 4; round += 1) {
      context.machineClock.advance(61_000);
      await runTask('workflow.sweep', {});
    }
  };
  await ask('start', `${CMMN}/cases`, { workflowCode: 'loan', variables: { sum: 500 } });
  await settle();
  const waiting = (await send('GET', PROCESSES)).body.content as { processInstanceId: string }[];
  const [task] = (await send('GET', TASKS, undefined, ann)).body.content as { taskId: string }[];
  if (failing?.step === 'terminate') {
    const list = await send('GET', `${CMMN}/cases`);
    const [{ caseInstanceId = '' } = {}] = list.body.content as { caseInstanceId: string }[];
    await ask('terminate', `${CMMN}/cases/${caseInstanceId}:terminate`, {});
  } else {
    await ask('complete', `${TASKS}/${task?.taskId}/complete`, { variables: { approved: 1 } }, ann);
  }
  await settle();
  const ended = await send('GET', `${CMMN}/cases?state=completed`);
  const terminated = await send('GET', `${PROCESSES}?state=terminated`);
  const left = context.db.items().filter(({ pk }) => /^PROC#@calls|^CASEREST/.test(String(pk)));
  return {
    processes: waiting.length,
    completedCases: ended.body.numberOfElements,
    terminatedProcesses: terminated.body.numberOfElements,
    open: (await send('GET', TASKS, undefined, ann)).body.numberOfElements,
    left: left.map(({ pk, sk }) => `${pk} ${sk}`),
    stored: stored(context.db.items()),
  };
}

describe('a process task that is interrupted at a write', () => {
  const points = [
    ...[1, 2].map((after) => ['internal', after] as const),
    ...[0, 1].map((after) => ['answer-lost', after] as const),
  ];
  let calm: Awaited<ReturnType<typeof journey>>;
  beforeAll(async () => {
    calm = await journey();
  });

  it.each(points)('is started and ended once in the end (%s after %i)', async (fault, after) => {
    expect(calm).toMatchObject({ processes: 1, completedCases: 1, open: 0, left: [] });
    expect(await journey({ step: 'start', fault, after })).toEqual(calm);
    expect(await journey({ step: 'complete', fault, after })).toEqual(calm);
  });

  it.each(points)('leaves no process behind its case (%s after %i)', async (fault, after) => {
    const ended = await journey({ step: 'terminate', fault, after });

    expect(ended).toMatchObject({ completedCases: 0, terminatedProcesses: 1, open: 0, left: [] });
    expect(ended.stored).not.toHaveProperty('process_call');
  });
});
