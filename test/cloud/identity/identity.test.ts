import { randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { saveAesKey } from '../../helpers/cloud/save-aes-key.ts';
import { aModel, aTask } from '../../helpers/cmmn/cmmn.ts';
import { directory } from '../../helpers/identity/journey/directory.ts';
import { RunExecutions } from '../../helpers/identity/journey/executions.ts';
import {
  IdentityJourney,
  logIn,
  PROVIDERS,
  SOURCES,
} from '../../helpers/identity/journey/identity-journey.ts';

const PEOPLE = 40;
const DEPARTMENTS = 6;
const INTERRUPTED = { status: 'FAIL', reasonCode: 'INTERRUPTED' };
const USERS = '/api/v1/users';
const TREE = '/api/v1/departments/tree';
/** Of those that have not asked yet who is disabled: the others know it half a minute later. */
const OF_EACH_MODULE = [
  ...[USERS, '/api/v1/setting/x', '/api/v1/entity-definitions', '/api/v1/templates'],
  ...['/api/v1/notes/x', '/broker/dead-letter', '/api/v1/docs/editor?documentId=x'],
];

let api: ApiClient;
let journey: IdentityJourney;
const executions = () => new RunExecutions(cloud.outputs);
beforeAll(async () => {
  const token = await cloud.token({ sub: 'journey', roles: ['admin'] });
  api = createApiClient({ baseUrl: cloud.baseUrl, token });
  await saveAesKey(api);
  journey = await IdentityJourney.begin(api);
});

describe('a source', () => {
  it('is validated and enabled; who logs in before its first run gets an account', async () => {
    const { id } = journey.source;
    const { body: stored } = await api.get(`${SOURCES}/get/${id}`);
    const { adminPasswordSet: _, clientSecretSet: __, ...basicConfig } = stored.basicConfig;
    const tried = { id, provider: 'EXTSRC', config: { basicConfig } };
    const report = await api.post(`${SOURCES}/config_validator`, { body: tried });
    const enabled = await api.put(`${SOURCES}/enable/${id}`);
    const providerId = await journey.offerLogin();

    const login = await logIn(api, 'mai');

    expect(report.body).toMatchObject({ valid: true, capabilities: { userCount: PEOPLE } });
    expect(enabled.body.registration).toMatchObject({ status: 'REGISTERED' });
    expect(login.body).toMatchObject({ tokenType: 'Bearer', user: { userName: 'mai' } });
    const list = await api.get(`${PROVIDERS}/list`);
    expect(list.body.content).toMatchObject([{ id: providerId, enabled: true }]);
  });

  it('is imported, though the worker is killed meanwhile; who is there is adopted', async () => {
    const { id } = journey.source;
    const { origin, id: mai } = await journey.person('mai');

    const batch = await journey.start();
    const before = await executions().killAmongAccounts(id);
    const [users, departments] = await journey.ended(batch);

    expect(before).toBeLessThan(PEOPLE);
    expect(await executions().failures(batch)).toBeGreaterThan(0);
    expect(users).toMatchObject({ status: 'SUCCESS', createdCount: PEOPLE - 1 });
    expect(departments).toMatchObject({ status: 'SUCCESS', createdCount: DEPARTMENTS });
    const linked = await journey.records(users?.id ?? '', { actionType: 'LINK' });
    expect([origin, linked]).toMatchObject(['IDP', [{ objectId: mai, status: 'SUCCESS' }]]);
    const { content } = (await api.get(USERS, { query: { sourceId: id, size: 100 } })).body;
    const names = (content as { userName: string }[]).map(({ userName }) => userName);
    expect([names.length, new Set(names).size]).toEqual([PEOPLE, PEOPLE]);
  });

  it('is asked for what has changed, and follows its events', async () => {
    await directory.rename('02', 'Trần Văn Bình');
    const [users] = await journey.run({ mode: 'INCREMENTAL' });
    expect(users).toMatchObject({ status: 'SUCCESS', updatedCount: 1, syncMode: 'INCREMENTAL' });

    await directory.rename('03', 'Lê Minh Châu');
    await journey.follow('event-0', 'user.updated', 'person-03');
    expect(await journey.person('user-03')).toMatchObject({ fullName: 'Lê Minh Châu' });
    const hired = await directory.hire('moi');
    await journey.follow('event-1', 'user.created', hired);
    expect(await journey.person('moi')).toMatchObject({ email: 'moi@saomai.example' });
    const team = await directory.found('Thực tập', hired);
    await journey.follow('event-2', 'organization.created', team);
    expect((await api.get(TREE)).text).toContain('"code":"thuc-tap"');
    await directory.send('DELETE', `/Users/${hired}`);
    await journey.follow('event-3', 'user.deleted', hired);
    expect(await journey.person('moi')).toBeUndefined();
    await directory.send('DELETE', `/Groups/${team}`);
    await journey.follow('event-4', 'organization.deleted', team);
    expect((await api.get(TREE)).text).not.toContain('"code":"thuc-tap"');

    const body = JSON.stringify({ type: 'user.deleted', objectId: hired });
    expect((await journey.tell('event-3', body)).body).toMatchObject({ duplicate: true });
    expect((await journey.tell('event-5', body, `${body} `)).status).toBe(401);
  });
});

describe('a login', () => {
  it('gives a token that claims a task of the department, until the account is disabled', async () => {
    const workflowCode = `leave-${randomUUID()}`;
    const xml = aModel(aTask('Approve', '', 'flowable:candidateGroups="kinh-doanh"'));
    await api.post('/api/v1/workflow/cmmn/deployments', { body: { workflowCode, xml } });
    await api.post('/api/v1/workflow/cmmn/cases', { body: { workflowCode } });

    const { body: login } = await logIn(api, 'mai');
    expect((await journey.moveLogin('https://other.example.com')).body.code).toBe(
      'PROVIDER_LINKED',
    );
    const mai = api.as(login.accessToken);
    const { content } = (await mai.get('/api/v1/tasks', { query: { workflowCode } })).body;
    const claimed = await mai.post(`/api/v1/tasks/${content[0]?.taskId}/claim`, { body: {} });

    expect(claimed.body).toMatchObject({ status: 'CLAIMED', assignee: login.user.id });
    expect((await api.put(`${USERS}/${login.user.id}/disable`)).status).toBe(200);
    for (const path of OF_EACH_MODULE) expect((await mai.get(path)).status, path).toBe(401);
  });
});

describe('a run', () => {
  it('that is stopped in any state leaves the source to the next one', async () => {
    const states = ['Begin', 'Read the source', 'Apply users'];
    for (const state of states) {
      await directory.rename('04', `Phạm ${state}`);
      const batch = await journey.start({ mode: 'FULL' });
      await executions().stopAt(batch, state);
      expect(await journey.ended(batch)).toMatchObject([INTERRUPTED, INTERRUPTED]);
    }

    expect((await journey.run({ mode: 'FULL' }))[0]?.status).toBe('SUCCESS');
    expect((await journey.person('user-04'))?.fullName).toBe(`Phạm ${states.at(-1)}`);
  });

  it('removes nobody without an approval where many are gone', async () => {
    for (let number = 20; number < 35; number += 1) {
      await directory.send('DELETE', `/Users/person-${number}`);
    }
    await directory.send('DELETE', '/Groups/accounting');
    const held = await journey.run({ mode: 'FULL' });
    const batch = held[0]?.batch ?? '';
    const shown = await api.get(`${SOURCES}/sync/run/${batch}`);
    const approved = await api.post(`${SOURCES}/sync/approve/${batch}`);

    expect(held).toMatchObject([{ status: 'SUSPENDED', reasonCode: 'TOO_MANY_REMOVALS' }, {}]);
    expect(shown.body).toMatchObject({ phase: 'WAITING', planned: { users: { missing: 15 } } });
    expect(approved.status).toBe(202);
    expect(await journey.ended(batch)).toMatchObject([
      { status: 'SUCCESS', deletedCount: 15 },
      { status: 'SUCCESS', deletedCount: 1 },
    ]);
    const [one] = await journey.run({ mode: 'FULL', externalIds: ['person-05'] });
    expect(one).toMatchObject({ status: 'SUCCESS', unchangedCount: 1 });
    const csv = await api.get(`${SOURCES}/sync/run/${batch}/csv`);
    expect(csv.text).toContain('user-34');
    const cancelled = await journey.start();
    expect((await api.post(`${SOURCES}/sync/cancel/${cancelled}`)).status).toBe(204);
    expect(await journey.ended(cancelled)).toMatchObject([{ status: 'CANCELLED' }, {}]);
  });

  it('does not stay pending when everything stops and starts again', async () => {
    const batch = await journey.start({ mode: 'FULL' });
    await executions().entered(batch, 'Read the source');
    await cloud.restart();

    const lambda = new LambdaClient(cloud.awsClientConfig());
    for (const task of ['identity.pass', 'identity.events', 'identity.sweep']) {
      const Payload = JSON.stringify({ task });
      const FunctionName = cloud.outputs.functions.identity;
      const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
      expect(FunctionError).toBeUndefined();
    }

    expect(await journey.histories({ status: 'PENDING' })).toEqual([]);
    expect(await journey.ended(batch)).toMatchObject([INTERRUPTED, INTERRUPTED]);
    expect((await journey.run({ mode: 'FULL' }))[0]?.status).toBe('SUCCESS');
    const { id } = journey.source;
    await api.put(`${SOURCES}/disable/${id}`);
    const query = { accounts: 'keep' };
    expect((await api.delete(`${SOURCES}/delete/${id}`, { query })).status).toBe(204);
  });
});
