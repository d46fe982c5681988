import { describe, expect, it } from 'vitest';
import { editedDocumentsPort } from '../../../../functions/templates/index.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import {
  editedDocx,
  endlessData,
  hostileData,
  hostileExpressions,
  hostileNames,
  hostileSources,
  hostileValues,
  lockedEdits,
  prototypeData,
} from '../../../helpers/docx/hostile/calls.ts';
import { aGenerationsApi, letter, textOf } from '../generations/generations-api.ts';
import { ofTenant, TEMPLATES } from '../templates-api.ts';

describe('row 5: values', () => {
  it.each(['DOCX', 'HTML'])('stay text in %s, and change no object', async (outputFormat) => {
    const world = await aGenerationsApi({ text: '{{#list}}{{list.x}}|{{/list}}' });
    const entityData = hostileData();

    const { status, body } = await world.generate({ outputFormat, entityData });

    expect(status, JSON.stringify(body)).toBe(201);
    const [output = ''] = world.outputs();
    const bytes = world.storage.files.get(output) ?? Buffer.alloc(0);
    if (outputFormat === 'DOCX') {
      expect(textOf(bytes)).toBe(`${hostileValues.join('|').replaceAll('\0', '')}|`);
    } else expect(String(bytes)).not.toMatch(/<script|<img|onerror=[^&]*>|href="javascript/i);
    expect(Reflect.get({}, 'bad')).toBeUndefined();
  });

  it('are refused where they would be a prototype', async () => {
    const world = await aGenerationsApi();

    const { status, body } = await world.generate({ entityData: prototypeData() });

    expect([status, body.code]).toEqual([400, 'UNKNOWN_FIELD']);
    expect(body.errors).toMatchObject([{ pointer: '/entityData/__proto__' }]);
    expect(Reflect.get({}, 'bad')).toBeUndefined();
  });

  it.each(endlessData)('beyond every limit are refused: %s', async (_, entityData) => {
    const { status } = await (
      await aGenerationsApi({ text: '{{#rows}}{{rows.n}}{{/rows}}' })
    ).generate({
      entityData,
    });

    expect([400, 413, 422]).toContain(status);
  });
});

describe('rows 6 and 10: expressions and what fields may read', () => {
  it.each(hostileExpressions)('are refused before a document is made: %s', async (expression) => {
    const api = await aGenerationsApi();
    const fields = [{ name: 'self', sourceType: 'COMPUTED', expression }];

    const answer = await api.put(`${api.path}/merge-fields`, { fields });

    expect([answer.status, answer.body.code]).toEqual([422, 'MERGE_FIELDS_INVALID']);
  });

  it.each(hostileSources)('show nothing that is not listed: %s', async (sourceRef) => {
    const api = await aGenerationsApi();
    const fields = [{ name: 'x', sourceType: 'SYSTEM', sourceRef }];

    expect((await api.put(`${api.path}/merge-fields`, { fields })).status).toBe(422);
  });
});

describe('row 7: names', () => {
  it.each(hostileNames)('are data alone: %j', async (fileName) => {
    const world = await aGenerationsApi();

    const uploaded = await world.api.upload(world.templateId, letter('{{a}}'), { fileName });

    expect([200, 400, 422]).toContain(uploaded.status);
    for (const path of world.storage.files.keys()) {
      expect(path).toMatch(
        /^(?:documents\/templates|templates\/inspections)\/[\w-]+\/\d-[\w-]+\.(?:docx|json)$/,
      );
    }
    const made = await world.generate();
    expect(made.body.fileName).toMatch(/^[\w-]+\.docx$/);
  });

  it('of other tenants and other templates are unknown', async () => {
    const world = await aGenerationsApi();
    const { body } = await world.generate({ entityData: { ho_ten: 'An' } });
    const other = await world.api.aTemplate();
    const paths = [
      [`${world.path}/generations/${body.generationId}`, ofTenant('other')],
      [`${TEMPLATES}/${other}/generations/${body.generationId}`, undefined],
      [`${TEMPLATES}/..%2F${world.templateId}/generations`, undefined],
    ] as const;

    for (const [path, caller] of paths) {
      expect([400, 404]).toContain((await world.api.get(path, caller && { caller })).status);
    }
    const mine = { caller: ofTenant('other') };
    expect((await world.finalize(body.generationId, mine)).status).toBe(404);
    expect((await world.cancel(body.generationId, mine)).status).toBe(404);
  });
});

describe('row 9: locked values', () => {
  it.each(lockedEdits)('come back after an edit: %s', async (_, edit, text, code) => {
    const world = await aGenerationsApi({
      fields: [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }],
    });
    await world.generate({ entityData: { ho_ten: 'An' } });
    const [fileId = ''] = world.outputs();
    const bytes = await editedDocx(world.storage.files.get(fileId) ?? Buffer.alloc(0), edit);
    const edits = bindPort(editedDocumentsPort, world.context).use();

    const saved = await world.context.unitOfWork((unit) =>
      edits.save(unit, { fileId, content: bytes, userId: 'lan', isTerminal: true }),
    );

    expect(saved).toMatchObject({ warningCodes: [code] });
    expect(textOf(world.storage.files.get(fileId))).toBe(text);
  });
});
