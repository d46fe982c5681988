import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
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
  const lambda = new LambdaClient(cloud.awsClientConfig());
  const s3 = new S3Client({ ...cloud.awsClientConfig(), forcePathStyle: true });
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsClientConfig()));
  const TableName = cloud.outputs.tableName;
  const Bucket = cloud.outputs.bucketName;

  const sweep = async () => {
    const { FunctionError, Payload } = await lambda.send(
      new InvokeCommand({
        FunctionName: cloud.outputs.functions.workflow,
        Payload: JSON.stringify({ task: 'workflow.sweep' }),
      }),
    );
    const text = Buffer.from(Payload ?? []).toString();
    if (FunctionError) throw new Error(text);
    return JSON.parse(text).deployments;
  };

  const versionsOf = async (path: string) => {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket, Prefix: path }),
    );
    return Versions.length + DeleteMarkers.length;
  };

  it('removes the files of a deployment whose process has ended', async () => {
    const deploymentId = randomUUID();
    const path = `workflow/definitions/${deploymentId}/model.xml`;
    const facts = { deploymentId, tenantCode: '', workflowCode: 'lost', files: [path] };
    await s3.send(new PutObjectCommand({ Bucket, Key: path, Body: caseXml() }));
    const Item = {
      ...{ pk: 'WF#@intents', sk: deploymentId, type: 'WORKFLOW_INTENT', state: 'DEPLOYING' },
      intent: { ...facts, dueAt: 0, attempts: 0 },
    };
    await documents.send(new PutCommand({ TableName, Item }));

    const { failed } = await sweep();

    // The schedule may have run it at the same time.
    expect(failed).toBe(0);
    await expect.poll(() => versionsOf(path), { timeout: 120_000 }).toBe(0);
  });

  it('removes a deleted deployment that no case refers to', async () => {
    const code = aCode();
    const { body } = await deploy(code);
    await api.delete(`${CMMN}/deployments/${body.deploymentId}`);
    const place = { pk: 'WF#@purges', sk: body.deploymentId };
    const note = { pk: `WF#${body.deploymentId}`, sk: 'USED#north', tenantCode: 'north' };
    await documents.send(new PutCommand({ TableName, Item: { ...note, type: 'WORKFLOW_USED' } }));
    await documents.send(
      new UpdateCommand({
        ...{ TableName, Key: place },
        UpdateExpression: 'SET #purge.#due = :now',
        ExpressionAttributeNames: { '#purge': 'purge', '#due': 'dueAt' },
        ExpressionAttributeValues: { ':now': 0 },
      }),
    );

    await sweep();

    const folder = `workflow/definitions/${body.deploymentId}/`;
    await expect.poll(() => versionsOf(folder), { timeout: 120_000 }).toBe(0);
  });
});
