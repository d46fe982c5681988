import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../../shared/ports/documents.ts';
import { zipped } from '../../../helpers/docx/make-docx.ts';
import { entriesOf, readPart, textOfEntry } from '../../../helpers/docx/read-output.ts';
import { documentStorage } from '../../../helpers/editor/document-storage.ts';
import { anOpenDocument, letter } from '../../editor/saving/saves.ts';
import { dyingAt } from '../dying-at.ts';
import { aGenerationsApi, textOf } from '../generations/generations-api.ts';
import { ofTenant } from '../templates-api.ts';

const MAIN = 'word/document.xml';
/** Longer than the claim on a save. */
const CLAIM_MS = 120_000;
const hashOf = (file: Uint8Array = Buffer.alloc(0)) =>
  createHash('sha256').update(file).digest('hex');

/** Another value, and a marker behind it, as an editor writes them. */
function typedInto(file: Uint8Array = Buffer.alloc(0), value = ''): Buffer {
  const xml = textOfEntry(file, MAIN)
    .replace('>An<', `>${value}<`)
    .replace('</w:p>', '<w:r><w:t xml:space="preserve"> {{moi}}</w:t></w:r></w:p>');
  return zipped({ ...entriesOf(file), [MAIN]: xml });
}

/** A generated document that is open in the editor. */
async function anEditedDocument(
  options: Parameters<typeof aGenerationsApi>[0] = {},
  editing: Parameters<typeof anOpenDocument>[0] = {},
) {
  const storage = documentStorage();
  const world = await aGenerationsApi({ ...options, storage });
  const { body } = await world.generate({ entityData: { ho_ten: 'An' } });
  const [fileId = ''] = world.outputs();
  const svc = { template: { enabled: true } };
  const opening = { fileId, documentId: body.generationId, fileName: 'letter.docx' };
  const there = { svc, storage, besides: world.context };
  const editor = await anOpenDocument({ ...editing, ...there }, opening);
  return { ...world, editor, fileId, opening, id: body.generationId };
}

describe('a generated document that the editor saves', () => {
  it('has the hash of what is stored, wherever the function ends before the next try', async () => {
    let deaths = 0;
    for (let writes = 0; ; writes += 1) {
      const { editor, context, ...world } = await anEditedDocument();
      const url = `${editor.server.url}/cache/files/data/x/output.docx`;
      const save = () => editor.save(2, { url });

      const hasEnded = await dyingAt(writes, { context, storage: editor.storage }, save);
      if (!hasEnded) {
        deaths += 1;
        context.clock.advance(CLAIM_MS);
        expect((await save()).status, `dead at write ${writes}`).toBe(200);
      }
      await editor.server.close();

      const stored = editor.stored(world.fileId);
      const { body } = await world.get(world.id);
      expect(textOf(stored), `dead at write ${writes}`).toBe('edited');
      expect(body, `dead at write ${writes}`).toMatchObject({
        ...{ outputHash: hashOf(stored), editStatus: 'EDITED' },
      });
      expect(editor.conflicts()).toEqual([]);
      if (hasEnded) break;
    }
    expect(deaths).toBeGreaterThan(2);
  });

  it.each([
    ['keeps its values, and gets controls for markers that were typed', {}, 'Dear An {{moi}}'],
    [
      'has its values again that were locked',
      { fields: [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }] },
      'Dear An {{moi}}',
    ],
  ])('%s', async (_, options, text) => {
    const { editor, fileId } = await anEditedDocument(options);
    const sent = typedInto(editor.stored(fileId), 'fields' in options ? 'Chi' : 'An');
    editor.server.answer = (_request, response) => response.end(sent);

    const { status } = await editor.save(2);
    await editor.server.close();

    const stored = editor.stored(fileId) ?? sent;
    expect([status, textOf(stored)]).toEqual([200, text]);
    expect(readPart(stored).controls.map(({ tag }) => tag)).toEqual([
      'svc:mf:ho_ten',
      'svc:mf:moi',
    ]);
  });

  it('keeps what its controls show in a copy beside it', async () => {
    const { editor, fileId, finalize, id } = await anEditedDocument();
    const sent = typedInto(editor.stored(fileId), 'An');
    editor.server.answer = (_request, response) => response.end(sent);
    await finalize(id);

    await editor.save(2);
    await editor.server.close();

    const [copy = ''] = editor.conflicts();
    expect(textOf(editor.stored(copy))).toBe('Dear An {{moi}}');
  });

  it('does not exist for other tenants', async () => {
    const { editor, opening } = await anEditedDocument();
    const [template = ''] = [...editor.storage.files.keys()].filter((path) =>
      path.startsWith('documents/templates/'),
    );

    const answers = [
      await editor.open(opening, { caller: ofTenant('other') }),
      await editor.open({ ...opening, fileId: template }, { caller: ofTenant('other') }),
      await editor.open({ ...opening, fileId: template }),
    ];
    await editor.server.close();

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'DOCS_FILE_NOT_FOUND'],
      [404, 'DOCS_FILE_NOT_FOUND'],
      [200, undefined],
    ]);
  });
});

describe('a generated document that is saved larger than the memory', () => {
  const editing = { memory: { mostInMemory: 100, partBytes: 400 } };

  it('is stored in its place, wherever the function ends before the next try', async () => {
    for (let writes = 0; ; writes += 1) {
      const { editor, context, fileId, ...world } = await anEditedDocument({}, editing);
      const save = () => editor.save(2, { url: `${editor.server.url}/cache/files/x/output.docx` });

      const hasEnded = await dyingAt(writes, { context, storage: editor.storage }, save);
      if (!hasEnded) {
        context.clock.advance(CLAIM_MS);
        expect((await save()).status, `dead at write ${writes}`).toBe(200);
      }
      await editor.server.close();

      const { body } = await world.get(world.id);
      expect(textOf(editor.stored(fileId)), `dead at write ${writes}`).toBe('edited');
      expect(body).toMatchObject({
        ...{ outputHash: hashOf(editor.stored(fileId)), editStatus: 'EDITED' },
        warningCodes: ['DOCUMENT_TOO_LARGE_TO_NORMALISE'],
      });
      expect([editor.conflicts(), partsOf(editor)]).toEqual([[], []]);
      if (hasEnded) break;
    }
  });

  it.each([
    [
      'holds locked values',
      { fields: [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }] },
    ],
    ['is finalized', {}],
  ])('becomes a copy beside one that %s', async (_, options) => {
    const { editor, fileId, ...world } = await anEditedDocument(options, editing);
    if (!('fields' in options)) await world.finalize(world.id);
    const before = editor.stored(fileId);

    const [first, second] = [await editor.save(6), await editor.save(2)];
    await editor.server.close();

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(editor.stored(fileId)).toEqual(before);
    expect(editor.conflicts()).toHaveLength(1);
    expect(textOf(editor.stored(editor.conflicts()[0]))).toBe('edited');
    expect(partsOf(editor)).toEqual([]);
    expect(editor.events()).toMatchObject([{ conflict: true }, { conflict: true }]);
  });
});

const partsOf = ({ storage }: { storage: { files: Map<string, unknown> } }): string[] =>
  [...storage.files.keys()].filter((path) => path.includes('.part-'));

describe('a file of a generated document that is no DOCX', () => {
  it.each([
    { name: 'final.pdf', mode: 'fillForms', fileName: 'final.pdf' },
    { name: 'final.pdf', mode: 'edit', fileName: 'letter.docx' },
    { name: 'final.html', mode: 'edit', fileName: 'letter.docx' },
  ])('is shown to its tenant and never edited: $name, $mode', async ({ name, ...query }) => {
    const { editor, fileId, id } = await anEditedDocument();
    const final = `${fileId.slice(0, fileId.lastIndexOf('/'))}/${name}`;
    editor.storage.files.set(final, Buffer.from('%PDF final'));
    const open = (more = {}) => editor.open({ fileId: final, documentId: id, ...query }, more);

    const own = await open();
    const other = await open({ caller: ofTenant('north') });
    await editor.server.close();

    expect(own.body).toMatchObject({ editorConfig: { mode: 'view' } });
    expect(JSON.stringify(own.body)).not.toContain('callbackUrl');
    expect(other.status).toBe(404);
  });
});

describe('a forced save of a generated document that is late', () => {
  it.each([2, 6] as const)('takes no place of the save with status %i', async (status) => {
    const { editor, fileId, get, id } = await anEditedDocument({}, {});
    const { storage } = editor;
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    const putIf: Storage['putIf'] = async (path, body, type, expected) => {
      if (path === fileId && isFirst) {
        isFirst = false;
        begun.resolve();
        await go.promise;
      }
      const there = (await storage.head(path))?.etag;
      const isExpected = expected === 'absent' ? !there : expected.etag === there;
      return isExpected ? storage.put(path, body, type) : undefined;
    };
    Object.assign(storage, { putIf });
    editor.server.answer = (request, response) =>
      response.end(letter(request.url?.includes('/old/') ? 'OLD' : 'NEW'));
    const urlOf = (name: string) => `${editor.server.url}/cache/files/${name}/output.docx`;

    const late = editor.save(6, { url: urlOf('old') });
    await begun.promise;
    const last = await editor.save(status, { url: urlOf('new') });
    go.resolve();
    const statuses = [last.status, (await late).status];
    await editor.server.close();

    expect(statuses).toEqual([200, 200]);
    expect(textOf(editor.stored(fileId))).toBe('NEW');
    expect((await get(id)).body.outputHash).toBe(hashOf(editor.stored(fileId)));
    expect(editor.conflicts()).toHaveLength(1);
  });
});

describe('approved content in the editor', () => {
  const fileId = 'documents/approved/0a1b.docx';
  const opening = { fileId, documentId: 'd', fileName: 'approved.docx' };

  it('is looked at only', async () => {
    const storage = documentStorage();
    storage.files.set(fileId, letter('approved'));
    const { opened, server } = await anOpenDocument(
      { storage, svc: { template: { enabled: true } } },
      opening,
    );
    await server.close();

    expect(opened.editorConfig.mode).toBe('view');
    expect(opened.editorConfig.callbackUrl).toBeUndefined();
    expect(opened.document.permissions.edit).toBe(false);
  });

  it('stays as it is, whoever has it open for editing from before, and whoever restores a version', async () => {
    const storage = documentStorage();
    storage.files.set(fileId, letter('approved'));
    // As it is opened where the templates module is off.
    const ports = { 'templates.edited-documents': false, 'templates.field-readers': false };
    const before = await anOpenDocument({ storage, ports }, opening);
    const editor = await anOpenDocument(
      { storage, besides: before.context, svc: { template: { enabled: true } } },
      opening,
    );

    const { status } = await editor.save(2, {}, { config: before.opened });
    const restored = await editor.call({
      ...{ method: 'POST', path: '/api/v1/docs/documents/d/versions/1:restore' },
    });
    await Promise.all([before.server.close(), editor.server.close()]);

    expect([status, restored.body.code]).toEqual([200, 'DOCS_DOCUMENT_CLOSED']);
    expect(textOf(editor.stored(fileId))).toBe('approved');
    expect(editor.conflicts()).toHaveLength(1);
  });
});
