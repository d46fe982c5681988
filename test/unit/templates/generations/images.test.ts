import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import type { DocsEditorQuery } from '../../../../shared/ports/documents.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { entriesOf, textOfEntry } from '../../../helpers/docx/read-output.ts';
import { anEntitiesApi, RECORDS } from '../../entities/entities-api.ts';
import { aGenerationsApi, textOf } from './generations-api.ts';

/** Two pixels wide and one high. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAEklEQVR4nGP8z8Dwn4EIwDiqEAAqUQP/DtPj2AAAAABJRU5ErkJggg==',
  'base64',
);
const PHOTO = 'documents/photos/an.png';
const PHOTO_FIELD = { name: 'photo', sourceType: 'ENTITY', dataType: 'IMAGE', format: '20mm' };
const MARKER = 'a{{photo}}b';

interface World {
  readonly value?: string;
  readonly text?: string;
  readonly policies?: readonly ((query: DocsEditorQuery, userId: string) => boolean)[];
  readonly file?: Uint8Array;
}

/** An employee whose record names a photo, and a template that shows it. */
async function aWorld({
  value = PHOTO,
  text = MARKER,
  policies = [() => true],
  file = PNG,
}: World = {}) {
  const storage = memoryStorage();
  const asked: DocsEditorQuery[] = [];
  const host = {
    ...{ permissionEvaluator: claimsPermissionEvaluator, storage },
    docsEditorAuthorizationServices: policies.map((policy) => ({
      canOpen: (query: DocsEditorQuery, userId: string) => {
        asked.push(query);
        return policy(query, userId);
      },
    })),
  };
  const entities = anEntitiesApi({ host });
  const photo = { type: 'string', format: 'image' };
  await entities.define({
    ...{ code: 'employee', name: 'employee', requirePermission: true },
    uiSchemaJson: { type: 'object', properties: { photo } },
  });
  const record = await entities.post(`${RECORDS}/employee`, { photo: value });
  const world = await aGenerationsApi({
    ...{ besides: entities.context, host, text, fields: [PHOTO_FIELD] },
    template: { entityType: 'employee' },
  });
  storage.files.set(PHOTO, file);
  const output = () => {
    const path = [...storage.files.keys()].findLast((name) => name.endsWith('/1.docx'));
    return storage.files.get(path ?? '') ?? Buffer.alloc(0);
  };
  const generate = (body: object = {}, more = {}) =>
    world.generate({ entityId: String(record.body.id), ...body }, more);
  return { ...world, storage, asked, generate, output };
}

const imagesIn = (file: Uint8Array): readonly Buffer[] =>
  Object.entries(entriesOf(file))
    .filter(([name]) => name.startsWith('word/media/'))
    .map(([, bytes]) => Buffer.from(bytes));

const may = (...permissions: string[]) => ({
  caller: { sub: 'x', permissions: ['template:generation:*', ...permissions] },
});

describe('images of a record', () => {
  it('are shown to a caller who may see the field and the file', async () => {
    const world = await aWorld({ text: `${MARKER}{{photo}}` });

    const { body } = await world.generate({}, may('employee:view'));

    expect(imagesIn(world.output())).toEqual([PNG]);
    expect(body.warningCodes).toEqual([]);
    expect(world.asked).toEqual([
      { fileId: PHOTO, fileName: 'an.png', documentId: body.entityId, mode: 'view' },
    ]);
  });

  it.each([
    ['nobody', []],
    ['a policy that refuses', [() => false]],
    ['two policies', [() => true, () => true]],
    [
      'a policy that fails',
      [
        () => {
          throw new Error('no answer');
        },
      ],
    ],
  ])('are left out with a warning where %s decides about files', async (_, policies) => {
    const world = await aWorld({ policies });

    const { body } = await world.generate();

    expect(imagesIn(world.output())).toEqual([]);
    expect(textOf(world.output())).toBe('ab');
    expect(body.warningCodes).toEqual(['FORMAT_FAILED']);
    expect(body.warnings).toMatchObject([{ field: 'photo' }]);
  });

  it('are not read for a caller who may not see the record', async () => {
    const world = await aWorld();

    const { body } = await world.generate({}, may());

    expect([world.asked, imagesIn(world.output()), textOf(world.output())]).toEqual([[], [], 'ab']);
    expect(body.warningCodes).toContain('ENTITY_NOT_FOUND');
  });

  it.each([
    ['another file', PHOTO, Buffer.from('<svg onload="x"/>')],
    ['nothing', 'documents/photos/none.png', PNG],
    ['more than fits', PHOTO, Buffer.concat([PNG, Buffer.alloc(8 * 2 ** 20)])],
  ])('are left out when the path leads to %s', async (_, value, file) => {
    const world = await aWorld({ value, file });

    const { body } = await world.generate();

    expect(imagesIn(world.output())).toEqual([]);
    expect(textOf(world.output())).toBe('ab');
    expect(body.warningCodes).toEqual(['FORMAT_FAILED']);
  });

  it.each([
    'documents/templates/x/1.docx',
    'documents/generations/x/1.png',
    'documents/../templates/locks/x.json',
    'templates/locks/x.json',
    'https://example.com/a.png',
  ])('are no files elsewhere: %s', async (value) => {
    const world = await aWorld({ value });
    world.storage.files.set(value, PNG);

    await world.generate();

    expect([world.asked, imagesIn(world.output())]).toEqual([[], []]);
  });

  it('are not read for a path that only the request names', async () => {
    const world = await aWorld({ value: 'documents/photos/other.png' });

    const { body } = await world.generate({ entityData: { photo: PHOTO } });

    expect([world.asked, imagesIn(world.output())]).toEqual([[], []]);
    expect(body.warningCodes).toEqual(['FORMAT_FAILED']);
  });

  it('may be in the value itself, as a data URL', async () => {
    const url = `data:image/png;base64,${PNG.toString('base64')}`;
    const world = await aWorld({ policies: [] });

    await world.generate({ entityData: { photo: url } });

    expect(imagesIn(world.output())).toEqual([PNG]);
    expect(textOfEntry(world.output(), 'word/document.xml')).toContain('descr="photo"');
  });
});
