import { describe, expect, it } from 'vitest';
import { claimsTaskAuthorization } from '../../../../shared/host/claims-policies.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const TASKS = '/api/v1/tasks';
const HASHES = '#'.repeat(255);
const MODEL = aModel(
  `${aTask('Free', '', `flowable:candidateGroups="\${group}"`)}${aTask('Own', '', `flowable:assignee="\${group}"`)}
<planItem id="piNews" definitionRef="News"/><eventListener id="News" flowable:eventType="signal" flowable:signalRef="\${group}"/>
<planItem id="piWork" definitionRef="Work"/><task id="Work" name="Work" flowable:type="external-worker" flowable:topic="${HASHES}"/>`,
);

describe('texts of the most bytes, of characters that take three bytes in keys', () => {
  it('are stored, and what has them is found', async () => {
    const host = { workflowTaskAuthorizationService: claimsTaskAuthorization };
    const world = workflowWorld({}, undefined, host);
    const tenant = { tenantCode: HASHES };
    const deploy = { workflowCode: 'work', xml: MODEL, uniqueBusinessKey: true };
    await world.post('/deployments', deploy);
    const about = { businessKey: HASHES, entityType: HASHES, entityId: HASHES };
    const variables = { group: HASHES };
    const wanted = { workflowCode: 'work', ...tenant, ...about, variables };
    const caller = { sub: HASHES, tenant: HASHES, roles: ['admin'], groups: [HASHES] };
    const query = (members: object) => new URLSearchParams({ ...members }).toString();

    const started = await world.post('/cases', wanted);
    const other = await world.post('/cases', { ...wanted, businessKey: 'other', entityId: '1' });
    const again = await world.post('/cases', wanted);
    const { caseInstanceId } = started.body;
    const listed = [
      await world.get(`/cases?${query({ ...tenant, businessKey: HASHES })}`),
      await world.get(`/cases?${query({ ...tenant, entityType: HASHES, entityId: HASHES })}`),
    ];
    const mine = await world.call({
      ...{ method: 'GET', path: `${TASKS}?${query({ entityType: HASHES, entityId: HASHES })}` },
      caller,
    });
    const leased = { topic: HASHES, workerId: HASHES, leaseMs: 1_000, max: 5 };
    const work = await world.post('/external-work:fetch', { ...leased, ...tenant });

    expect([started.status, other.status, again.status]).toEqual([201, 201, 409]);
    for (const { body } of listed) expect(body.content).toMatchObject([{ caseInstanceId }]);
    expect(mine.body.content).toMatchObject([{ caseInstanceId }, { caseInstanceId }]);
    expect(work.body.works).toHaveLength(2);
  });
});
