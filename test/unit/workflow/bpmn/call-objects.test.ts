import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bpmnXml, chain, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { aProcessApi } from './processes-api.ts';

const CMMN = '/api/v1/workflow/cmmn';
const NAMES = ['a', 'b', 'c'];
const MODEL = caseXml({
  plan: `<planItem id="pi" definitionRef="call"><itemControl><manualActivationRule/></itemControl></planItem>
    <processTask id="call" name="Order">
      <extensionElements>${NAMES.map((name) => `<flowable:in source="${name}" target="${name}"/>`).join('')}</extensionElements>
      <processRefExpression>order</processRefExpression>
    </processTask>`,
});
const XML = bpmnXml(`<startEvent id="s"/>${userTask('check')}${chain('s', 'check')}`);

/** A case whose process task passes on more than an item holds, and whose process could not be started yet. */
async function anInterruptedCall() {
  const api = await aProcessApi(XML);
  const { send, context, storage, runTask } = api;
  await send('POST', `${CMMN}/deployments`, { workflowCode: 'loan', xml: MODEL });
  const { body } = await send('POST', `${CMMN}/cases`, { workflowCode: 'loan' });
  const path = `${CMMN}/cases/${body.caseInstanceId}`;
  for (const name of NAMES) {
    const text = randomBytes(180_000).toString('base64');
    await send('PUT', `${path}/variables`, { variables: { [name]: text } });
  }
  const revive = context.db.before('TransactWriteItems', ({ input }) => {
    if (!JSON.stringify(input).includes('process_state')) return;
    throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  });
  await send('POST', `${path}/plan-items/call:start`, {});
  revive();
  const objects = () => [...storage.files.keys()].filter((name) => name.includes('/cases/'));
  return {
    ...api,
    calls: () => objects().filter((name) => name.includes('/call/')),
    objects: () => objects().sort(),
    /** Objects that items name. */
    named: () =>
      context.db
        .items()
        .flatMap(({ object }) => object ?? [])
        .sort(),
    terminate: () => send('POST', `${path}:terminate`, {}),
    sweep: async () => {
      context.machineClock.advance(301_000);
      await runTask('workflow.sweep', {});
    },
  };
}

describe('what a process task passes on in the bucket', () => {
  it('goes with a call that is taken back before its process has started', async () => {
    const { calls, terminate, sweep, objects, named } = await anInterruptedCall();
    const before = calls();

    await terminate();
    await sweep();

    expect(before).toHaveLength(1);
    expect(calls()).toEqual([]);
    expect(objects()).toEqual(named());
  });

  it('goes by the sweep when who has started the process dies before it goes', async () => {
    const { calls, storage, sweep, objects, named, context } = await anInterruptedCall();
    const { delete: remove } = storage;
    const dead = Promise.withResolvers<void>();
    Object.assign(storage, {
      delete: () => {
        dead.resolve();
        return Promise.reject(new Error('gone'));
      },
    });

    await Promise.all([sweep(), dead.promise]);
    const left = calls();
    Object.assign(storage, { delete: remove });
    await sweep();
    await sweep();

    expect(left).toHaveLength(1);
    expect(context.db.items().some(({ type }) => type === 'process')).toBe(true);
    expect(calls()).toEqual([]);
    expect(objects()).toEqual(named());
  });

  it('keeps the sweep from no other call when it has gone without a trace', async () => {
    const { context, sweep, runTask } = await anInterruptedCall();
    const lost = Array.from({ length: 120 }, (_, at) => `lost-${at}`);
    context.db.load(
      lost.flatMap((processInstanceId) => [
        { pk: `PROC#${processInstanceId}`, sk: 'CALL', call: {}, object: 'workflow/cases/none' },
        {
          ...{ pk: 'PROC#@calls', sk: `2026-01-01T00:00:00.000Z#${processInstanceId}#start` },
          ...{ processInstanceId, step: 'start' },
        },
      ]),
    );

    await sweep();
    await runTask('workflow.sweep', {});

    expect(context.db.items().filter(({ type }) => type === 'process')).toHaveLength(1);
  });
});
