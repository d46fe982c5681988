import { describe, expect, it } from 'vitest';
import { caseXml, rateDmn } from '../../../helpers/workflow/case-xml.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const xml = caseXml();
const deploy = (world: ReturnType<typeof workflowWorld>, more: object = {}, rest = {}) =>
  world.post('/deployments', { workflowCode: 'loan', xml, ...more }, rest);

const CRLF = '\r\n';

/** A form of texts and files. */
function aForm(
  texts: Readonly<Record<string, string>>,
  files: readonly (readonly [name: string, fileName: string, content: string])[],
) {
  const parts = [
    ...Object.entries(texts).map(
      ([name, text]) => `Content-Disposition: form-data; name="${name}"${CRLF}${CRLF}${text}`,
    ),
    ...files.map(
      ([name, fileName, content]) =>
        `Content-Disposition: form-data; name="${name}"; filename="${fileName}"${CRLF}Content-Type: application/xml${CRLF}${CRLF}${content}`,
    ),
  ];
  const body = `${parts.map((part) => `--limit${CRLF}${part}${CRLF}`).join('')}--limit--${CRLF}`;
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=limit' } };
}

describe('POST /api/v1/workflow/cmmn/deployments', () => {
  it('makes the first version of a workflow and tells of it', async () => {
    const world = workflowWorld({ mq: { transport: 'broker' } });

    const { status, headers, body } = await deploy(world, { taskVariables: ['amount'] });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      workflowCode: 'loan',
      tenantCode: '',
      version: 1,
      status: 'PUBLISHED',
      caseDefinitionKey: 'loan',
      name: 'Case loan',
      caseDefinitions: [{ id: `${body.deploymentId}:loan`, key: 'loan', version: 1 }],
      taskVariables: ['amount'],
      deployedBy: 'demo',
      warnings: [],
      unchanged: false,
    });
    expect(headers.location).toBe(`/api/v1/workflow/cmmn/deployments/${body.deploymentId}`);
    expect(world.topics()).toEqual(['workflow.definition.published']);
    expect([...world.storage.files.keys()]).toEqual([
      `workflow/definitions/${body.deploymentId}/model.xml`,
    ]);
  });

  it('answers with the newest version when it is the same', async () => {
    const world = workflowWorld();
    const first = await deploy(world);

    const again = await deploy(world);

    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...first.body, unchanged: true });
    expect(world.storage.files.size).toBe(1);
  });

  it.each([
    ['the model', { xml: caseXml({ task: 'Look' }) }],
    ['the name', { name: 'Loans' }],
    ['the variables of task lists', { taskVariables: ['amount'] }],
    ['nothing, when it is told to', { skipIfUnchanged: false }],
  ])('makes the next version when %s differs', async (_, change) => {
    const world = workflowWorld();
    const first = await deploy(world);

    const second = await deploy(world, change);

    expect(second.status).toBe(201);
    expect(second.body).toMatchObject({ version: 2, unchanged: false });
    expect(second.body.deploymentId).not.toBe(first.body.deploymentId);
  });

  it('makes a draft, which a second deployment of the same publishes', async () => {
    const world = workflowWorld();

    const draft = await deploy(world, { publish: false });
    const published = await deploy(world);

    expect(draft.body).toMatchObject({ status: 'DRAFT', publishedAt: null });
    expect(published).toMatchObject({
      status: 200,
      body: { version: 1, status: 'PUBLISHED', unchanged: true },
    });
  });

  it('takes a form with the model and further documents', async () => {
    const world = workflowWorld();
    const form = aForm(
      {
        workflowCode: 'loan',
        publish: 'false',
        taskVariables: 'amount, customer',
        historyRetention: 'P90D',
      },
      [
        ['file', 'loan.cmmn', xml],
        ['resources', 'rate.dmn', rateDmn],
        ['resources', 'appeal.cmmn', caseXml({ key: 'appeal' })],
      ],
    );

    const { status, body } = await world.post('/deployments', form.body, { headers: form.headers });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'DRAFT',
      taskVariables: ['amount', 'customer'],
      historyRetentionMs: 90 * 86_400_000,
      resources: ['rate.dmn', 'appeal.cmmn'],
      decisions: ['rate'],
      caseDefinitions: [{ key: 'loan' }, { key: 'appeal' }],
    });
  });

  it('refuses errors of every document by their places', async () => {
    const world = workflowWorld();

    const { status, body } = await deploy(world, {
      xml: caseXml({ plan: '<planItem id="pi" definitionRef="gone" />' }),
      resources: [
        { name: 'a.dmn', xml: rateDmn.replace('FIRST', 'LAST') },
        { name: 'b.cmmn', xml: 'no XML' },
      ],
    });

    expect([status, body.code]).toEqual([422, 'MODEL_INVALID']);
    expect(body.errors).toMatchObject([
      { pointer: '/xml', code: 'PLAN_ITEM_DEFINITION_REF_UNRESOLVED', elementId: 'pi', line: 6 },
      { pointer: '/resources/1/xml', code: 'XML_MALFORMED' },
      { pointer: '/resources/0/xml', code: 'HIT_POLICY_UNSUPPORTED' },
    ]);
    expect(world.storage.files.size).toBe(0);
  });

  it('refuses a key that two documents have', async () => {
    const { status, body } = await deploy(workflowWorld(), {
      resources: [{ name: 'twin.cmmn', xml }],
    });

    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: '/resources', code: 'DUPLICATE_CASE_KEY' }]);
  });

  it('warns of a case that is not deployed, and not of one that is', async () => {
    const world = workflowWorld();
    const calling = caseXml({
      key: 'caller',
      plan: '<planItem id="pi" definitionRef="call" /><caseTask id="call" caseRef="loan" />',
    });

    const before = await deploy(world, { workflowCode: 'caller', xml: calling });
    await deploy(world);
    const after = await deploy(world, {
      workflowCode: 'caller',
      xml: calling,
      skipIfUnchanged: false,
    });

    expect(before.body.warnings).toMatchObject([{ code: 'CASE_REF_NOT_DEPLOYED' }]);
    expect(after.body.warnings).toEqual([]);
  });

  it('refuses another case under the code of a workflow', async () => {
    const world = workflowWorld();
    await deploy(world);

    const { status, body } = await deploy(world, { xml: caseXml({ key: 'other' }) });

    expect([status, body.code]).toEqual([409, 'WORKFLOW_CODE_TAKEN']);
  });

  it('takes another case under a code whose versions are all deleted', async () => {
    const world = workflowWorld();
    const { body: deleted } = await deploy(world);
    await world.delete(`/deployments/${deleted.deploymentId}`);

    const { status, body } = await deploy(world, { xml: caseXml({ key: 'other' }) });

    expect([status, body.version, body.caseDefinitionKey]).toEqual([201, 2, 'other']);
    expect(await world.services().definitions.newest('', 'loan')).toMatchObject({
      definition: { key: 'other' },
    });
  });

  it.each([
    ['a code with a colon', { workflowCode: 'a:b' }, '/workflowCode'],
    ['six variables', { taskVariables: ['a', 'b', 'c', 'd', 'e', 'f'] }, '/taskVariables'],
    ['an hour of retention', { historyRetention: 'PT1H' }, '/historyRetention'],
    ['a main case that is not there', { caseDefinitionKey: 'other' }, '/caseDefinitionKey'],
    ['an unknown field', { code: 'loan' }, '/code'],
    ['a document without a name', { resources: [{ xml }] }, '/resources/0/name'],
  ])('refuses %s by its name', async (_, change, pointer) => {
    const { status, body } = await deploy(workflowWorld(), change);

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer }]);
  });

  it('answers a repeated call with its key as the first time', async () => {
    const world = workflowWorld();
    const rest = { headers: { 'idempotency-key': 'k-1' } };

    const first = await deploy(world, {}, rest);
    const again = await deploy(world, {}, rest);
    const other = await deploy(world, { name: 'Other' }, rest);

    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('works in the tenant of the caller, and in any for a caller without one', async () => {
    const world = workflowWorld();
    const inTenant = { caller: { sub: 'u', roles: ['admin'], tenant: 'north' } };

    const own = await deploy(world, {}, inTenant);
    const foreign = await deploy(world, { tenantCode: 'south' }, inTenant);
    const named = await deploy(world, { tenantCode: 'south' });

    expect(own.body).toMatchObject({ tenantCode: 'north', version: 1 });
    expect([foreign.status, foreign.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(named.body).toMatchObject({ tenantCode: 'south', version: 1 });
  });

  it('sends only the events that are chosen', async () => {
    const world = workflowWorld({
      mq: { transport: 'broker' },
      workflow: { events: ['!workflow.definition.*'] },
    });

    const { status } = await deploy(world);

    expect([status, world.topics()]).toEqual([201, []]);
  });

  it('works without messaging', async () => {
    const { status } = await deploy(workflowWorld({ mq: { enabled: false } }));

    expect(status).toBe(201);
  });

  it('gives deployments at once a number each', async () => {
    const world = workflowWorld();

    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => deploy(world, { xml: caseXml({ task: `T${at}` }) })),
    );

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(answers.map(({ body }) => body.version).toSorted()).toEqual([1, 2, 3, 4, 5]);
  });
});
