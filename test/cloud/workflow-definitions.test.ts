import { randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { caseXml, rateDmn } from '../helpers/workflow/case-xml.ts';

const CMMN = '/api/v1/workflow/cmmn';

let api: ApiClient;
beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'journey', roles: ['admin'] }),
  });
});

/** A code that no other test has. */
const aCode = (): string => `loan-${randomUUID()}`;

const deploy = (workflowCode: string, more: object = {}) =>
  api.post(`${CMMN}/deployments`, { body: { workflowCode, xml: caseXml(), ...more } });

describe('a workflow', () => {
  it('is checked, deployed in versions, shown, published, unpublished and deleted', async () => {
    const code = aCode();

    const checked = await api.post(`${CMMN}/validate`, { body: { xml: caseXml() } });
    expect(checked.body).toMatchObject({ valid: true, caseDefinitions: [{ key: 'loan' }] });
    const refused = await deploy(code, { xml: '<definitions/>' });
    expect([refused.status, refused.body.code]).toEqual([422, 'MODEL_INVALID']);

    const first = await deploy(code);
    expect([first.status, first.body.version]).toEqual([201, 1]);
    expect((await deploy(code)).body).toMatchObject({ version: 1, unchanged: true });
    const second = await deploy(code, {
      xml: caseXml({ task: 'Check' }),
      resources: [{ name: 'rate.dmn', xml: rateDmn }],
    });
    expect(second.body).toMatchObject({ version: 2, decisions: ['rate'] });

    const newest = await api.get(`${CMMN}/definitions/${code}`);
    expect(newest.body).toMatchObject({ version: 2, publishedVersion: 2 });
    const versions = await api.get(`${CMMN}/definitions/${code}/versions`);
    expect(versions.body.content).toMatchObject([{ version: 2 }, { version: 1 }]);
    const document = await api.get(`${CMMN}/definitions/${code}/versions/1/xml`);
    expect(document.text).toBe(caseXml());
    const list = await api.get(`${CMMN}/definitions`, { query: { q: code } });
    expect(list.body.content).toMatchObject([{ workflowCode: code, version: 2 }]);
    const deployments = await api.get(`${CMMN}/deployments`, { query: { size: '1' } });
    expect(deployments.body.content).toHaveLength(1);

    const snapshot = await api.get(`${CMMN}/snapshots/${code}`);
    expect(snapshot.body.planItems).toMatchObject([{ name: 'Check', type: 'humanTask' }]);
    const known = await api.get(`${CMMN}/snapshots/${code}`, {
      headers: { 'if-none-match': String(snapshot.headers.etag) },
    });
    expect(known.status).toBe(304);

    const unpublished = await api.post(`${CMMN}/definitions/${code}:unpublish`, { body: {} });
    expect(unpublished.body).toMatchObject({ version: 2, publishedVersion: 1 });
    const published = await api.post(`${CMMN}/definitions/${code}:publish`, { body: {} });
    expect(published.body).toMatchObject({ version: 2, publishedVersion: 2 });

    const path = `${CMMN}/deployments/${second.body.deploymentId}`;
    expect((await api.get(path)).body).toMatchObject({ version: 2, warnings: [] });
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).body.code).toBe('DEPLOYMENT_NOT_FOUND');
    expect((await api.get(`${CMMN}/snapshots/${code}`)).body.version).toBe(1);
  });

  it('is deployed once for each Idempotency-Key', async () => {
    const body = { workflowCode: aCode(), xml: caseXml() };
    const headers = { 'idempotency-key': randomUUID() };

    const answers = await Promise.all(
      [1, 2].map(() => api.post(`${CMMN}/deployments`, { body, headers })),
    );

    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(answers.map((answer) => answer.body.deploymentId)).size).toBe(1);
  });

  it('larger than an item lies in the bucket', async () => {
    const code = aCode();
    const plan = Array.from(
      { length: 6_000 },
      (_, at) => `<planItem id="p${at}" definitionRef="t" name="${randomUUID()}${randomUUID()}"/>`,
    ).join('');

    const deployed = await deploy(code, { xml: caseXml({ plan: `${plan}<task id="t"/>` }) });
    const snapshot = await api.get(`${CMMN}/snapshots/${code}`);

    expect(deployed.status).toBe(201);
    expect(snapshot.body.planItems).toHaveLength(6_000);
  });
});

describe('the sweep of the workflow function', () => {
  it('runs', async () => {
    const client = new LambdaClient(cloud.awsClientConfig());

    const { FunctionError, Payload } = await client.send(
      new InvokeCommand({
        FunctionName: cloud.outputs.functions.workflow,
        Payload: JSON.stringify({ task: 'workflow.sweep' }),
      }),
    );

    expect(FunctionError).toBeUndefined();
    expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toMatchObject({
      deployments: { failed: 0 },
    });
  });
});
