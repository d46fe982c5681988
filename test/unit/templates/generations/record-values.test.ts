import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, RECORDS } from '../../entities/entities-api.ts';
import { aGenerationsApi } from './generations-api.ts';

const entity = (code: string, properties: object) => ({
  code,
  name: code,
  requirePermission: true,
  uiSchemaJson: { type: 'object', properties },
});

/** Employees with departments, and a template that shows both. */
async function aWorld(text = '{{name}} - {{employee.department.title}}') {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
  const entities = anEntitiesApi({ host });
  await entities.define(entity('department', { title: { type: 'string' } }));
  await entities.define(
    entity('employee', {
      fullName: { type: 'string' },
      department: { type: 'string', 'x-reference': { entity: 'department' } },
    }),
  );
  const department = (await entities.post(`${RECORDS}/department`, { title: 'Nhân sự' })).body.id;
  const values = { fullName: 'Nguyễn Văn An', department };
  const entityId = String((await entities.post(`${RECORDS}/employee`, values)).body.id);
  const world = await aGenerationsApi({
    ...{ besides: entities.context, text, template: { entityType: 'employee' } },
    fields: [{ name: 'name', sourceType: 'ENTITY', sourceRef: 'fullName' }],
  });
  return { ...world, entities, entityId };
}

const may = (...permissions: string[]) => ({
  caller: { sub: 'x', permissions: ['template:generation:*', ...permissions] },
});

describe('values of a record', () => {
  it('fill a document, with those of the records that it refers to', async () => {
    const world = await aWorld();

    const { body } = await world.generate({ entityId: world.entityId });

    expect(world.textOfOutput()).toBe('Nguyễn Văn An - Nhân sự');
    expect(body).toMatchObject({ entityType: 'employee', entityId: world.entityId });
  });

  it('are those that the caller may see', async () => {
    const none = await aWorld();
    const some = await aWorld();

    const blind = await none.generate({ entityId: none.entityId }, may());
    await some.generate({ entityId: some.entityId }, may('employee:view'));

    expect(blind.body.warningCodes).toEqual(
      expect.arrayContaining(['ENTITY_NOT_FOUND', 'FIELD_VALUE_MISSING']),
    );
    expect(none.textOfOutput()).toBe(' - ');
    expect(some.textOfOutput()).not.toContain('Nhân sự');
    expect(some.textOfOutput()).toContain('Nguyễn Văn An');
  });

  it('are those that whoever has started a job may see', async () => {
    const none = await aWorld();
    const some = await aWorld();
    const later = { prefer: 'respond-async' };
    const body = { outputFormat: 'DOCX', records: [{ entityId: some.entityId }] };

    await none.generate({ entityId: none.entityId }, { ...may(), headers: later });
    await none.api.runJobs();
    await some.api.post(`${some.path}/batches`, body, may('employee:view'));
    await some.api.runJobs();

    expect(none.textOfOutput()).toBe(' - ');
    expect(some.textOfOutput()).toBe('Nguyễn Văn An - ');
  });

  it('are computed with, over references too', async () => {
    const world = await aWorld('{{label}}');
    const expression = 'concat(name, ": ", employee.department.title)';
    const fields = [
      { name: 'name', sourceType: 'ENTITY', sourceRef: 'fullName' },
      { name: 'label', sourceType: 'COMPUTED', expression },
    ];
    await world.api.put(`${world.path}/merge-fields`, { fields });

    await world.generate({ entityId: world.entityId });

    expect(world.textOfOutput()).toBe('Nguyễn Văn An: Nhân sự');
  });

  it('decide what is shown, over references too', async () => {
    const world = await aWorld(
      '{{#employee.department.title}}in a department{{/employee.department.title}}',
    );

    await world.generate({ entityId: world.entityId });

    expect(world.textOfOutput()).toBe('in a department');
  });

  it('come after those of the request', async () => {
    const world = await aWorld();

    await world.generate({ entityId: world.entityId, entityData: { name: 'Bình' } });

    expect(world.textOfOutput()).toBe('Bình - Nhân sự');
  });

  it('are those of the request alone where entities are switched off', async () => {
    const world = await aGenerationsApi({
      ...{
        text: '{{name}}{{other}}',
        ports: { 'entities.records': false, 'settings.values': true },
      },
      template: { entityType: 'employee' },
    });
    const entityId = '0197b4c0-0000-7000-8000-000000000009';

    const { status, body } = await world.generate({ entityId, entityData: { name: 'Bình' } });

    expect([status, world.textOfOutput()]).toEqual([201, 'Bình']);
    expect(body).toMatchObject({ entityId, warningCodes: ['FIELD_NOT_BOUND'] });
  });

  it('are none of a record that does not exist', async () => {
    const world = await aWorld();
    const entityId = '0197b4c0-0000-7000-8000-000000000009';

    const missing = await world.generate({ entityId });
    const unknown = await world.generate({ entityId, entityType: 'nothing' });

    expect(missing.body.warningCodes).toContain('ENTITY_NOT_FOUND');
    expect(unknown.body.warningCodes).toContain('ENTITY_NOT_FOUND');
  });
});

describe('values of the platform', () => {
  it('are not overridden by the request', async () => {
    const world = await aGenerationsApi({
      text: '{{day}} {{documentNumber}}',
      fields: [{ name: 'day', sourceType: 'BUILTIN', sourceRef: 'today', dataType: 'DATE' }],
    });
    const entityData = { day: '1999-01-01', documentNumber: '9999' };

    const { body } = await world.generate({ entityData });

    expect(world.textOfOutput()).toBe('01/03/2026 0001/2026/HDLD');
    expect(body.warningCodes).toEqual(['ENTITY_DATA_OVERRIDE_IGNORED']);
  });
});

describe('warnings', () => {
  it('fit where they are stored, however long the formats are that they name', async () => {
    const names = Array.from({ length: 110 }, (_, index) => `f${index}`);
    const picture = 'ạ'.repeat(1_900);
    const text = names.map((name) => `{{${name}|date:${picture}}}`).join(' ');
    const world = await aGenerationsApi({ text });

    const { status, body } = await world.generate({
      entityData: Object.fromEntries(names.map((name) => [name, 'no date'])),
    });

    expect([status, body.warningCodes]).toEqual([201, ['FORMAT_FAILED']]);
  });
});

describe('what a document costs', () => {
  it('is four reads and three writes of the table once the file is known; two reads when it is asked for again', async () => {
    const world = await aGenerationsApi();
    // As the bucket does: links are signed without a request.
    Object.assign(world.storage, { downloadLink: async () => 'https://files.example/x' });
    const request = { entityData: { ho_ten: 'An' }, idempotencyKey: 'k' };
    const { meter } = world.context.db;

    const cost = await meter.costOf(() => world.generate(request));
    const replay = await meter.costOf(() => world.generate(request));

    expect(cost.requests.toSorted()).toEqual([
      ...['GetItem', 'GetItem', 'GetItem', 'Query 0'],
      // The generation with its key, its end with the message, and the mark that this was sent.
      ...['TransactWriteItems 2', 'TransactWriteItems 2', 'UpdateItem 1'],
    ]);
    expect(cost.writeUnits).toBeLessThanOrEqual(13);
    expect(replay).toEqual({ requests: ['GetItem', 'GetItem'], readUnits: 2, writeUnits: 0 });
  });

  it('is less without key and number: its begin is one plain write', async () => {
    const world = await aGenerationsApi();
    Object.assign(world.storage, { downloadLink: async () => 'https://files.example/x' });
    const request = { entityData: { ho_ten: 'An' } };

    const cost = await world.context.db.meter.costOf(() => world.generate(request));

    expect(cost.requests.toSorted()).toEqual([
      ...['GetItem', 'GetItem', 'PutItem 1', 'Query 0'],
      ...['TransactWriteItems 2', 'UpdateItem 1'],
    ]);
    expect(cost.writeUnits).toBeLessThanOrEqual(10);
  });
});
