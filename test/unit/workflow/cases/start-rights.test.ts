import { describe, expect, it } from 'vitest';
import { createWorkflowModule } from '../../../../functions/workflow/module.ts';
import type { Host } from '../../../../shared/host/host.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';
import { aCustomerEntity, anEntitiesApi, RECORDS } from '../../entities/entities-api.ts';

const CMMN = '/api/v1/workflow/cmmn';

/** Clerks start cases, and edit open customers only; readers start cases and see customers. */
const host: Host = {
  storage: memoryStorage(),
  permissionEvaluator: {
    hasPermission: ({ roles }, target, action) => {
      if (roles.includes('admin') || target === 'workflow:case') return true;
      if (roles.includes('clerk')) return { allowed: true, rowFilter: { status: 'open' } };
      return action === 'view';
    },
  },
};

async function aPlatform(ports?: Readonly<Record<string, boolean>>) {
  const entities = anEntitiesApi({ host });
  await entities.define(aCustomerEntity({ requirePermission: true }));
  const create = async (status: string) => {
    const values = { name: 'Mai', email: `${status}@example.com`, status };
    return String((await entities.post(`${RECORDS}/customer`, values)).body.id);
  };
  const records = { open: await create('open'), closed: await create('closed') };
  const context = aContext({ module: 'workflow', host, besides: entities.context });
  const environment = { ...context.environment, ...(ports && { ports }) };
  const { call } = connect(createWorkflowModule, { ...context, environment });
  const body = { workflowCode: 'loan', xml: aModel(aTask('One')) };
  await call({ method: 'POST', path: `${CMMN}/deployments`, body });
  const start = async (role: string, entityId: string, entityType = 'customer') => {
    const answer = await call({
      method: 'POST',
      path: `${CMMN}/cases`,
      body: { workflowCode: 'loan', entityType, entityId },
      caller: { sub: role, roles: [role] },
    });
    return `${answer.status} ${answer.body.code ?? answer.body.state}`;
  };
  const starts = () => context.db.items().filter(({ sk }) => sk === 'LIVE#STATE').length;
  return { ...entities, records, start, starts };
}

describe('who starts a case on a record', () => {
  it('must be allowed to edit that record', async () => {
    const { start, starts, records } = await aPlatform();

    const answers = [
      await start('reader', records.open),
      await start('clerk', records.closed),
      await start('clerk', '01890000-0000-7000-8000-000000000000'),
    ];

    expect(answers).toEqual(['403 FORBIDDEN', '404 RECORD_NOT_FOUND', '404 RECORD_NOT_FOUND']);
    expect(starts()).toBe(0);
    expect(await start('clerk', records.open)).toBe('201 active');
    expect(await start('admin', records.closed)).toBe('201 active');
  });

  it('finds none that is in the trash', async () => {
    const { start, records, remove } = await aPlatform();
    await remove(`${RECORDS}/customer/${records.open}`);

    expect(await start('clerk', records.open)).toBe('404 RECORD_NOT_FOUND');
  });

  it('may name what is of no entity of the platform', async () => {
    const { start } = await aPlatform();

    expect(await start('reader', 'L-7', 'ledger')).toBe('201 active');
  });

  it('is not asked where entities are off, because no record is written then', async () => {
    const off = {
      ...{ 'entities.records': false, 'entities.record-merges': false },
      'settings.values': true,
    };
    const { start, records } = await aPlatform(off);

    expect(await start('reader', records.open)).toBe('201 active');
  });
});
