import { describe, expect, it } from 'vitest';
import {
  aLoginApi,
  aProvider,
  browserOf,
  CHALLENGE,
  codeOf,
  PROVIDERS,
  providerOfTests,
  RETURN_TO,
  VERIFIER,
} from '../../../helpers/identity/openid/login-world.ts';
import type { Fault } from '../../../helpers/memory-dynamodb/faults.ts';
import { FailingRequests, type RequestFault } from '../../../helpers/workflow/failing-requests.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';

const MANY = 60;
const world = providerOfTests({ sub: 'lan-1', preferred_username: 'lan.nguyen' });

type Login = ReturnType<typeof browserOf>;
type Api = ReturnType<typeof aLoginApi>;
interface Prepared {
  readonly api: Api;
  readonly login: Login;
}

/** A step of a login that is prepared, and then made under faults. */
type Step = (world: Prepared) => Promise<() => Promise<ApiAnswer>>;

const STEPS: Readonly<Record<string, Step>> = {
  begin:
    async ({ login }) =>
    async () =>
      (await login.begin()).answer,
  'first callback': async ({ login }) => {
    const { cookie, address } = await login.begin();
    const query = world.openid.authorise(address);
    return () => login.back(query, cookie);
  },
  'later callback': async ({ login }) => {
    await login.enter();
    world.person = { ...world.person, name: 'Another name' };
    const { cookie, address } = await login.begin();
    const query = world.openid.authorise(address);
    return () => login.back(query, cookie);
  },
  token: async ({ login }) => {
    const code = codeOf((await login.logIn()).headers.location);
    return () => login.tokenFor(code);
  },
  link: async ({ api, login }) => {
    const { body } = await login.enter();
    world.person = { sub: 'lan-2' };
    const query = `returnTo=${RETURN_TO}&codeChallenge=${CHALLENGE}&purpose=link`;
    const code = codeOf((await login.logIn(query)).headers.location);
    const proof = { code, codeVerifier: VERIFIER };
    const token = String(body.accessToken);
    return () => api.post(`${PROVIDERS}/staff/link`, proof, { token });
  },
  unlink: async ({ api, login }) => {
    const { body } = await login.enter();
    const token = String(body.accessToken);
    // Another way to log in, or nothing would be taken.
    const sourceId = await aProvider(api, world.openid, { name: 'Other', code: 'other' });
    const { id } = body.user as { readonly id: string };
    await api.services.users.link(id, { sourceId, externalId: 'x', hash: '', active: true });
    return () => api.remove(`${PROVIDERS}/staff/link`, { token });
  },
};

async function prepared(step: string) {
  world.person = { sub: 'lan-1', preferred_username: 'lan.nguyen' };
  const api = aLoginApi(world.openid);
  await aProvider(api, world.openid);
  const work = await STEPS[step]?.({ api, login: browserOf(api, world.openid) });
  if (!work) throw new Error(`There is no step ${step}`);
  return { api, work };
}

describe.each(Object.keys(STEPS))('a table that fails in the request of %s', (step) => {
  it.each<Fault>(['throttling', 'conflict'])('with %s is an outage', async (fault) => {
    const first = await prepared(step);
    const { requests } = await first.api.context.db.meter.costOf(first.work);
    const operation = fault === 'conflict' ? 'TransactWriteItems' : undefined;
    const hit = requests.filter((each) => each.startsWith(operation ?? ''));
    const answers: string[] = [];

    for (let after = 0; after < hit.length; after += 1) {
      const { api, work } = await prepared(step);
      api.context.db.failNext(fault, { ...(operation && { operation }), after, times: MANY });
      const { status, body } = await work();
      api.context.db.stopFailing();
      answers.push(`${status} ${body.code} at ${hit[after]}`);
    }

    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((text) => !/^(?:503|409 CONCURRENT_UPDATE)/.test(text))).toEqual([]);
  });
});

describe.each<RequestFault>(['killed', 'lost'])('a first login that is %s at a write', (fault) => {
  it('is made again, with one account and one token for each code', async () => {
    const problems: string[] = [];
    for (let nth = 1; ; nth += 1) {
      const { api, work } = await prepared('first callback');
      const requests = new FailingRequests(api.context.db);
      requests.arm(fault, nth);
      await work();
      const isOver = requests.count < nth;
      requests.disarm();
      const login = browserOf(api, world.openid);
      const [status, users] = [(await login.enter()).status, await usersOf(api)];
      if (status !== 200 || users !== 1) problems.push(`${status}, ${users} users at ${nth}`);
      if (isOver) break;
    }

    expect(problems).toEqual([]);
  });

  it('gives no second token for a code', async () => {
    const { api, work } = await prepared('token');
    const requests = new FailingRequests(api.context.db);
    requests.arm(fault, 1);
    const broken = await work();
    requests.disarm();

    const again = await Promise.all([work(), work()]);
    const given = [broken, ...again].filter(({ status }) => status === 200);

    expect(given.length).toBeLessThanOrEqual(1);
    expect(again.every(({ status }) => [200, 400].includes(status))).toBe(true);
  });
});

const usersOf = async (api: Api): Promise<number> =>
  ((await api.get('/api/v1/users')).body.content as readonly unknown[]).length;
