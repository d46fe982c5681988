import { describe, expect, it } from 'vitest';
import { checkCase } from '../../tools/conformance/check.ts';
import { planItemCalls } from '../../tools/conformance/http/plan-item-calls.ts';
import { type HttpTarget, Refusal, TenantApi } from '../../tools/conformance/http/tenant-api.ts';
import { isIllegal } from '../../tools/conformance/refusals.ts';
import { parseConformanceOptions } from '../../tools/conformance-options.ts';

describe('npm run conformance', () => {
  it('plays one after the other in process, and several at once over HTTP', () => {
    expect(parseConformanceOptions(['folder', '--concurrency', '40'])).toEqual({
      ...{ folder: 'folder', isOverHttp: false, concurrency: 1 },
    });
    expect(parseConformanceOptions(['--http', 'folder', '--concurrency', '40'])).toEqual({
      ...{ folder: 'folder', isOverHttp: true, concurrency: 40 },
    });
  });

  it.each([[[]], [['a', 'b']], [['a', '--concurrency', '0']], [['a', '--https']]])(
    'explains its use after %j',
    (args) => {
      expect(() => parseConformanceOptions(args)).toThrow();
    },
  );
});

describe('a refusal over HTTP', () => {
  it.each([
    ['STAGE_NOT_COMPLETABLE', 'illegalArgument', true],
    ['STAGE_NOT_COMPLETABLE', 'illegalState', false],
    ['CASE_SUSPENDED', 'illegalState', true],
    ['PLAN_ITEM_NOT_TRIGGERABLE', 'illegalState', true],
    ['VALIDATION_FAILED', 'illegalArgument', false],
    ['CASE_SUSPENDED', undefined, false],
  ])('%s is of the kind %s: %s', (code, expected, is) => {
    expect(isIllegal(code, expected)).toBe(is);
  });
});

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A platform that answers each call with the next of some answers and notes the calls. */
function platform(answers: readonly Answer[]) {
  const calls: string[] = [];
  const left = [...answers];
  const target: HttpTarget = {
    baseUrl: 'http://platform',
    sign: async ({ sub, tenant, groups = [] }) => [sub, tenant, ...groups].join('/'),
    fetch: async (address, { method = 'GET', headers, body }) => {
      const { authorization } = headers as Readonly<Record<string, string>>;
      calls.push([method, address, authorization, body].filter(Boolean).join(' '));
      const { body: answer, ...init } = left.shift() ?? { status: 200, body: {} };
      return new Response(JSON.stringify(answer), init);
    },
  };
  return { api: new TenantApi(target, 'tenant'), calls };
}

const caller = { user: 'mai', groups: ['manager'] };
const CMMN = 'http://platform/api/v1/workflow/cmmn';

describe('a tenant of a scenario', () => {
  it('reads lists to their end as its user', async () => {
    const { api, calls } = platform([
      { status: 200, body: { content: [1, 2], nextCursor: 'a&b' } },
      { status: 200, body: { content: [3], nextCursor: null } },
    ]);

    expect(await api.all('/cases?x=1', caller)).toEqual([1, 2, 3]);
    expect(calls).toEqual([
      `GET ${CMMN}/cases?x=1&size=200 Bearer mai/tenant/manager`,
      `GET ${CMMN}/cases?x=1&size=200&cursor=a%26b Bearer mai/tenant/manager`,
    ]);
  });

  it('tells refusals from faults', async () => {
    const { api } = platform([
      { status: 409, body: { code: 'CASE_SUSPENDED', detail: 'It rests.' } },
      { status: 500, body: { code: 'INTERNAL_ERROR' } },
    ]);

    await expect(api.get('/cases/1', caller)).rejects.toThrow(
      new Refusal('CASE_SUSPENDED', 'It rests.'),
    );
    await expect(api.get('/cases/1', caller)).rejects.not.toBeInstanceOf(Refusal);
  });

  it('asks again when it was throttled or is told when', async () => {
    const notReady = { status: 503, body: { code: 'CMMN_RUNTIME_NOT_READY' } };
    const later = { ...notReady, headers: { 'retry-after': '0' } };
    const throttled = { status: 429, body: {}, headers: { 'retry-after': '0' } };
    const patient = platform([later, throttled, { status: 200, body: { id: 1 } }]);
    const refused = platform([notReady]);

    expect(await patient.api.get('/cases/1', caller)).toEqual({ id: 1 });
    expect(patient.calls).toHaveLength(3);
    await expect(refused.api.get('/cases/1', caller)).rejects.toThrow('answered 503');
  });

  it('completes human tasks as tasks, lets listeners occur and completes the rest', async () => {
    const { api, calls } = platform([]);
    const { trigger } = planItemCalls(api, []);

    for (const definitionType of ['humanTask', 'userEventListener', 'caseTask']) {
      const instance = { id: 'i', name: '', state: 'active' };
      const item = { instance, definitionKey: 'key', definitionType };
      await trigger?.({ caseId: 'c', item, step: { op: 'trigger' }, caller });
    }

    expect(calls.map((call) => call.split(' ')[1])).toEqual([
      `${CMMN}/tasks/i:complete`,
      `${CMMN}/cases/c/plan-items/key:trigger`,
      `${CMMN}/cases/c/plan-items/key:complete`,
    ]);
  });
});

describe('an expectation', () => {
  it('that nobody knows is not met', () => {
    const instance = { id: 'c', definitionKey: 'k', state: 'active', completable: false };
    const root = { instance: { ...instance, variables: {} }, live: [], ended: [], milestones: [] };

    expect(checkCase({ cases: [root], root }, root, { caseState: 'active' })).toBeUndefined();
    expect(checkCase({ cases: [root], root }, root, { anything: 1 })).toMatch(/not known/);
    expect(checkCase({ cases: [root], root }, root, { openCases: 2 })).toMatch(/found 1/);
  });
});
