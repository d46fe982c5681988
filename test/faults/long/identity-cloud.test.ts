import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureDevIssuer, signDevToken } from '../../../bin/dev/dev-issuer.ts';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { RunExecutions } from '../../helpers/identity/journey/executions.ts';
import { IdentityJourney, SOURCES } from '../../helpers/identity/journey/identity-journey.ts';
import { startScimPeer } from '../../helpers/scim/scim-peer.ts';
import { randomPort, startTestPlatform, type TestPlatform } from '../../tools/test-platform.ts';
import { report } from '../harness/run.ts';

const PEOPLE = 2_000;
const STATES = [
  ...['Begin', 'Read the source', 'Plan', 'Apply departments', 'Apply users', 'Apply a chunk'],
  ...['Remove the missing', 'Finish'],
];
/** The next pass over the minutes of a schedule, and the run that it starts. */
const FIRES_MS = 180_000;
const MINUTE_MS = 60_000;

let platform: TestPlatform | undefined;
let peer: Awaited<ReturnType<typeof startScimPeer>> | undefined;
let api: ApiClient;
let journey: IdentityJourney;
let executions: RunExecutions;
beforeAll(async () => {
  const port = await randomPort();
  peer = await startScimPeer({ port, people: PEOPLE });
  platform = await startTestPlatform({
    enforceIam: true,
    context: { 'svc.idp.enabled': 'true', 'svc.idp.allow-insecure-hosts': `127.0.0.1:${port}` },
  });
  const { outputs } = platform;
  const token = await signDevToken(await ensureDevIssuer(), { sub: 'mai', roles: ['admin'] });
  api = createApiClient({ baseUrl: outputs.baseUrl, token });
  executions = new RunExecutions(outputs);
  const value = `base64:${Buffer.alloc(32, 7).toString('base64')}`;
  await api.post('/api/v1/setting/save', { body: { name: 'security.aes_secret', value } });
  journey = await IdentityJourney.begin(api, peer.baseUrl);
  await api.put(`${SOURCES}/enable/${journey.source.id}`);
});
afterAll(async () => {
  await peer?.stop();
  await platform?.stop();
});

/** Names of the accounts of the source that may log in. */
async function names(): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: Record<string, string> = cursor === '' ? {} : { cursor };
    const query = { sourceId: journey.source.id, status: 'ENABLED', size: 200, ...more };
    const { body } = await api.get('/api/v1/users', { query });
    found.push(...(body.content as { userName: string }[]).map(({ userName }) => userName));
    cursor = body.nextCursor;
  }
  return found;
}
/** Gives somebody another name, so that a run has a chunk to apply. */
async function rename(value: string): Promise<void> {
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  const answer = await fetch(`${peer?.baseUrl}/Users/person-04`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'displayName', value }],
    }),
  });
  expect(answer.ok).toBe(true);
}
async function expectEverybody(): Promise<void> {
  const all = await names();
  expect([all.length, new Set(all).size]).toEqual([PEOPLE, PEOPLE]);
}

describe('2,000 users on a local cloud', () => {
  it('are imported, though the worker is killed meanwhile', async () => {
    const startedAt = Date.now();
    const batch = await journey.start();
    const before = await executions.killAmongAccounts(journey.source.id);
    const [users] = await journey.ended(batch);

    report('import with a killed worker', { before, ms: Date.now() - startedAt });
    expect(before).toBeLessThan(PEOPLE);
    expect(await executions.failures(batch)).toBeGreaterThan(0);
    expect(users).toMatchObject({ status: 'SUCCESS', createdCount: PEOPLE });
    await expectEverybody();
  });

  it.each(STATES)('are left as they are by an execution that is stopped at %s', async (state) => {
    await rename(`Phạm ${state}`);
    const batch = await journey.start({ mode: 'FULL' });
    await executions.stopAt(batch, state);

    // The step that was under way may still have come to its end.
    const [stopped] = await journey.ended(batch);
    expect(['FAIL', 'SUCCESS']).toContain(stopped?.status);
    expect((await journey.run({ mode: 'FULL' }))[0]?.status).toBe('SUCCESS');
    expect((await journey.person('user-04'))?.fullName).toBe(`Phạm ${state}`);
    expect(await journey.histories({ status: 'PENDING' })).toEqual([]);
    await expectEverybody();
  });
});

describe('a schedule', () => {
  it.each([
    ['UTC', 0],
    ['Asia/Ho_Chi_Minh', 7],
  ])('in the zone %s fires once, at its minute', async (timezone, hours) => {
    const at = new Date(Math.ceil((Date.now() + 15_000) / MINUTE_MS) * MINUTE_MS);
    const inZone = new Date(at.getTime() + hours * 60 * MINUTE_MS);
    const jobConfig = { mode: 'timed', value: inZone.toISOString().slice(11, 16), timezone };
    const body = { id: journey.source.id, jobConfig };
    const before = (await journey.histories({ triggerType: 'JOB' })).length;
    const saved = await api.put(`${SOURCES}/save/config`, { body });

    expect(saved.body.schedule.nextRuns[0]).toBe(at.toISOString());
    // The newest come first.
    const fired = async () => {
      const rows = await journey.histories({ triggerType: 'JOB' });
      return rows.slice(0, rows.length - before);
    };
    await expect
      .poll(async () => (await fired()).map(({ status }) => status), {
        ...{ timeout: FIRES_MS, interval: 1_000 },
      })
      .toEqual(['SUCCESS', 'SUCCESS']);
    const [row] = await journey.histories({ triggerType: 'JOB' });
    const { startTime } = row as unknown as { readonly startTime: string };
    expect(Date.parse(startTime)).toBeGreaterThanOrEqual(at.getTime());
    report(`schedule in ${timezone}`, { lateMs: Date.parse(startTime) - at.getTime() });
  });
});
