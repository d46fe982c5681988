import { describe, expect, it } from 'vitest';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { caseXml, rateDmn } from '../../../helpers/workflow/case-xml.ts';
import { type WorkflowWorld, workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const deploy = async (
  world: WorkflowWorld,
  task: string,
  more: object = {},
  caller?: TestClaims,
) => {
  const body = { workflowCode: 'loan', xml: caseXml({ task }), ...more };
  const answer = await world.post('/deployments', body, caller ? { caller } : {});
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as { deploymentId: string; contentHash: string };
};

const inNorth: TestClaims = { sub: 'u', roles: ['admin'], tenant: 'north' };

/** A workflow with three versions, the second of them a draft. */
async function threeVersions() {
  const world = workflowWorld({ mq: { transport: 'broker' } });
  const first = await deploy(world, 'One');
  const draft = await deploy(world, 'Two', { publish: false });
  const third = await deploy(world, 'Three');
  return { world, first, draft, third };
}

describe('GET /api/v1/workflow/cmmn/definitions', () => {
  it('lists the newest version of each workflow in the order of their codes', async () => {
    const { world } = await threeVersions();
    await deploy(world, 'Open', { workflowCode: 'account', name: 'Accounts' });

    const { body } = await world.get('/definitions');
    const found = await world.get('/definitions?q=loa&size=1');

    expect(body.content).toMatchObject([
      { workflowCode: 'account', version: 1 },
      { workflowCode: 'loan', version: 3, publishedVersion: 3 },
    ]);
    expect(body).toMatchObject({ totalElements: 2, totalRelation: 'eq', last: true });
    expect(found.body).toMatchObject({ content: [{ workflowCode: 'loan' }], totalElements: 1 });
  });

  it('lists them page by page, by cursor and by number', async () => {
    const { world } = await threeVersions();
    for (const code of ['account', 'budget']) await deploy(world, 'Open', { workflowCode: code });
    const page = async (query: string) => (await world.get(`/definitions?size=2${query}`)).body;

    const first = await page('');
    const second = await page(`&cursor=${encodeURIComponent(String(first.nextCursor))}`);
    const other = await page(`&q=a&cursor=${encodeURIComponent(String(first.nextCursor))}`);

    expect(first.content).toMatchObject([{ workflowCode: 'account' }, { workflowCode: 'budget' }]);
    expect(first).toMatchObject({ last: false, totalElements: 3 });
    expect(second).toMatchObject({ number: 1, last: true, nextCursor: null, totalElements: 3 });
    expect(second.content).toMatchObject([{ workflowCode: 'loan' }]);
    expect((await page('&page=1')).content).toEqual(second.content);
    expect(other.code).toBe('INVALID_PARAMETER');
  });

  it('lists every version, newest first, page by page', async () => {
    const { world } = await threeVersions();

    const first = await world.get('/definitions?all=true&size=2');
    const second = await world.get(
      `/definitions?all=true&size=2&cursor=${encodeURIComponent(String(first.body.nextCursor))}`,
    );

    expect(first.body.content).toMatchObject([
      { version: 3, publishedVersion: 3 },
      { version: 2, status: 'DRAFT', publishedVersion: 3 },
    ]);
    expect(second.body).toMatchObject({ content: [{ version: 1 }], last: true, nextCursor: null });
  });

  it('shows a tenant its own workflows beside those of no tenant', async () => {
    const world = workflowWorld();
    await deploy(world, 'Shared');
    await deploy(world, 'Shared', { workflowCode: 'account' });
    await deploy(world, 'Own', {}, inNorth);
    await deploy(world, 'Other', { tenantCode: 'south', workflowCode: 'southern' });

    const { body } = await world.get('/definitions', { caller: inNorth });

    expect(body.content).toMatchObject([
      { workflowCode: 'account', tenantCode: '' },
      { workflowCode: 'loan', tenantCode: 'north' },
    ]);
  });
});

describe('GET /api/v1/workflow/cmmn/definitions/{workflowCode}', () => {
  it('reads the newest version, others by their number, and their documents', async () => {
    const { world } = await threeVersions();
    await deploy(world, 'Four', { resources: [{ name: 'rate.dmn', xml: rateDmn }] });

    const newest = await world.get('/definitions/loan');
    const second = await world.get('/definitions/loan/versions/2');
    const versions = await world.get('/definitions/loan/versions');
    const document = await world.get('/definitions/loan/versions/1/xml');
    const resource = await world.get('/definitions/loan/versions/4/xml?resource=rate.dmn');

    expect(newest.body).toMatchObject({ version: 4, publishedVersion: 4, resources: ['rate.dmn'] });
    expect(second.body).toMatchObject({ version: 2, status: 'DRAFT' });
    expect(versions.body.content).toMatchObject([4, 3, 2, 1].map((version) => ({ version })));
    expect(document.text).toBe(caseXml({ task: 'One' }));
    expect(document.headers).toMatchObject({
      'content-type': 'application/xml',
      'content-disposition': 'attachment; filename=loan-1.cmmn.xml',
    });
    expect(resource.text).toBe(rateDmn);
  });

  it.each([
    ['/definitions/gone', 'WORKFLOW_NOT_FOUND'],
    ['/definitions/loan/versions/9', 'WORKFLOW_NOT_FOUND'],
    ['/definitions/gone/versions', 'WORKFLOW_NOT_FOUND'],
    ['/definitions/loan/versions/1/xml?resource=x.dmn', 'DOCUMENT_NOT_FOUND'],
    ['/snapshots/gone', 'WORKFLOW_NOT_FOUND'],
    ['/snapshots/loan?caseDefinitionKey=x', 'CASE_DEFINITION_NOT_FOUND'],
    ['/deployments/01990000-0000-7000-8000-000000000009', 'DEPLOYMENT_NOT_FOUND'],
    ['/definitions/loan?tenantCode=south', 'WORKFLOW_NOT_FOUND'],
  ])('answers 404 for %s', async (path, code) => {
    const world = workflowWorld();
    await deploy(world, 'One', {}, inNorth);

    const { status, body } = await world.get(path, { caller: inNorth });

    expect([status, body.code]).toEqual([404, code]);
  });

  it('falls back to the workflow of no tenant', async () => {
    const world = workflowWorld();
    await deploy(world, 'Shared');

    const { status, body } = await world.get('/definitions/loan', { caller: inNorth });
    const change = await world.post('/definitions/loan:unpublish', {}, { caller: inNorth });

    expect([status, body.tenantCode]).toEqual([200, '']);
    expect([change.status, change.body.code]).toEqual([404, 'WORKFLOW_NOT_FOUND']);
  });
});

describe('POST /api/v1/workflow/cmmn/definitions/{workflowCode}:publish and :unpublish', () => {
  it('move what is started between the published versions', async () => {
    const { world } = await threeVersions();
    const started = async () => (await world.get('/snapshots/loan')).body.version;

    const unpublished = await world.post('/definitions/loan:unpublish');
    const afterThird = await started();
    const published = await world.post('/definitions/loan:publish', { version: 2 });
    const afterSecond = await started();
    await world.post('/definitions/loan:unpublish', { version: 2 });
    await world.post('/definitions/loan:unpublish', { version: 1 });
    const none = await world.get('/snapshots/loan');

    expect(unpublished.body).toMatchObject({ version: 3, status: 'DRAFT', publishedVersion: 1 });
    expect(published.body).toMatchObject({ version: 2, status: 'PUBLISHED', publishedVersion: 2 });
    expect([afterThird, afterSecond, none.status]).toEqual([1, 2, 404]);
    expect(world.topics()).toEqual([
      'workflow.definition.published',
      'workflow.definition.published',
      'workflow.definition.unpublished',
      'workflow.definition.published',
      'workflow.definition.unpublished',
      'workflow.definition.unpublished',
    ]);
  });

  it('change nothing when it is so already', async () => {
    const { world } = await threeVersions();

    const { status, body } = await world.post('/definitions/loan:publish', { version: 3 });

    expect([status, body.status]).toEqual([200, 'PUBLISHED']);
    expect(world.topics()).toHaveLength(2);
  });
});

describe('GET /api/v1/workflow/cmmn/snapshots/{workflowCode}', () => {
  it('shows the model that is started as XML and as a list, with an ETag', async () => {
    const { world, third } = await threeVersions();

    const { status, headers, body } = await world.get('/snapshots/loan');
    const known = await world.get('/snapshots/loan', {
      headers: { 'if-none-match': `W/"x", ${headers.etag}` },
    });

    expect(status).toBe(200);
    expect(headers.etag).toBe(`"${third.contentHash}"`);
    expect(body).toMatchObject({
      workflowCode: 'loan',
      version: 3,
      caseDefinitionKey: 'loan',
      cmmnXml: caseXml({ task: 'Three' }),
      planItems: [{ id: 'pi', definitionKey: 'review', type: 'humanTask', name: 'Three' }],
      sentries: [],
      diagrams: [],
    });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  it('shows a draft, and a further case of the deployment, when they are asked for', async () => {
    const { world } = await threeVersions();
    const appeal = caseXml({ key: 'appeal', task: 'Appeal' });
    await deploy(world, 'Four', { resources: [{ name: 'appeal.cmmn', xml: appeal }] });

    const draft = await world.get('/snapshots/loan?version=2');
    const further = await world.get('/snapshots/loan?caseDefinitionKey=appeal');

    expect(draft.body).toMatchObject({ version: 2, publishedAt: null });
    expect(further.body).toMatchObject({
      caseDefinitionKey: 'appeal',
      planItems: [{ name: 'Appeal' }],
    });
  });

  it('shows the drawings of the document', async () => {
    const world = workflowWorld();
    const drawn = caseXml().replace(
      '</definitions>',
      `<cmmndi:CMMNDI xmlns:cmmndi="http://www.omg.org/spec/CMMN/20151109/CMMNDI" xmlns:dc="http://www.omg.org/spec/CMMN/20151109/DC">
        <cmmndi:CMMNDiagram id="d"><cmmndi:CMMNShape id="s" cmmnElementRef="pi">
          <dc:Bounds x="1" y="2" width="30" height="40" /></cmmndi:CMMNShape></cmmndi:CMMNDiagram>
      </cmmndi:CMMNDI></definitions>`,
    );
    await deploy(world, '', { xml: drawn });

    const { body } = await world.get('/snapshots/loan');

    expect(body.diagrams).toMatchObject([
      { shapes: [{ elementId: 'pi', bounds: { x: 1, y: 2, width: 30, height: 40 } }] },
    ]);
  });
});

describe('DELETE /api/v1/workflow/cmmn/deployments/{deploymentId}', () => {
  const DAY_MS = 86_400_000;

  /** A case of a deployment, as far as the index shows it. */
  const storeCase = (world: WorkflowWorld, deploymentId: string, tenant: string, state: string) =>
    world.context.unitOfWork(async (unit) =>
      unit.put({
        pk: `CASE#c-${state}`,
        sk: 'LIVE#HEAD',
        type: 'CASE',
        summary: { deploymentId },
        gsi1pk: `CASE#${tenant}#loan#${state}`,
        gsi1sk: '2026-03-01T09:30:00.000Z#c',
      }),
    );

  it('takes the version from every list; the one before is started, its number is not given again', async () => {
    const { world, third } = await threeVersions();

    const deleted = await world.delete(`/deployments/${third.deploymentId}`);

    expect(deleted.status).toBe(204);
    expect((await world.get('/definitions/loan')).body).toMatchObject({
      version: 2,
      publishedVersion: 1,
    });
    expect((await world.get('/definitions/loan/versions/3')).status).toBe(404);
    expect((await world.get('/definitions/loan/versions')).body.content).toMatchObject([
      { version: 2 },
      { version: 1 },
    ]);
    expect((await world.get('/deployments')).body.content).toHaveLength(2);
    expect((await world.delete(`/deployments/${third.deploymentId}`)).status).toBe(404);
    expect(await deploy(world, 'Four')).toMatchObject({ version: 4 });
  });

  it('is refused while a case of it is open', async () => {
    const { world, third } = await threeVersions();
    await storeCase(world, third.deploymentId, '', 'suspended');

    const { status, body } = await world.delete(`/deployments/${third.deploymentId}`);

    expect([status, body.code]).toEqual([409, 'DEPLOYMENT_IN_USE']);
    expect((await world.get('/definitions/loan')).body.version).toBe(3);
  });

  it('is refused while a tenant has an open case of what all use', async () => {
    const { world, third } = await threeVersions();
    await world.services().definitions.noteUse(third.deploymentId, 'north');
    await storeCase(world, third.deploymentId, 'north', 'active');

    const { status } = await world.delete(`/deployments/${third.deploymentId}`);

    expect(status).toBe(409);
  });

  it('removes the content later, once no case refers to it', async () => {
    const { world, third } = await threeVersions();
    const definitionId = `${third.deploymentId}:loan`;
    await storeCase(world, third.deploymentId, '', 'completed');
    await world.delete(`/deployments/${third.deploymentId}`);
    const filesNow = () => world.storage.files.size;

    const early = await world.runTask('workflow.sweep');
    world.context.clock.advance(121_000);
    const kept = await world.runTask('workflow.sweep');
    const stillThere = [filesNow(), await world.services().definitions.load(definitionId)];
    await world.context.unitOfWork(async (unit) =>
      unit.delete({ pk: 'CASE#c-completed', sk: 'LIVE#HEAD' }),
    );
    world.context.clock.advance(DAY_MS);
    const gone = await world.runTask('workflow.sweep');

    expect([early, kept, gone]).toMatchObject([
      { deployments: { purged: 0 } },
      { deployments: { purged: 0 } },
      { deployments: { purged: 1 } },
    ]);
    expect(stillThere).toMatchObject([3, { id: definitionId }]);
    expect(filesNow()).toBe(2);
    const left = world.context.db.items().map(({ pk }) => pk);
    expect(left).not.toContain(`WF#${third.deploymentId}`);
    expect(left).not.toContain('WF#@purges');
  });
});
