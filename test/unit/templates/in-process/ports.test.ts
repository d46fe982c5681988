import { describe, expect, it } from 'vitest';
import {
  documentsPort,
  editedDocumentsPort,
  templatesPort,
} from '../../../../functions/templates/index.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import type { EditorSave } from '../../../../shared/ports/templates.ts';
import { principalOf } from '../../../helpers/api/principals.ts';
import { admin } from '../../../helpers/api/test-tokens.ts';
import { zipped } from '../../../helpers/docx/make-docx.ts';
import { entriesOf, readPart, textOfEntry } from '../../../helpers/docx/read-output.ts';
import { aGenerationsApi, letter, textOf } from '../generations/generations-api.ts';

const MAIN = 'word/document.xml';
const demo = principalOf(admin);

/** A document with more text at the end of its paragraph, as an editor writes it. */
function typed(file: Uint8Array = Buffer.alloc(0), text = ''): Buffer {
  const xml = textOfEntry(file, MAIN).replace('</w:p>', `<w:r><w:t>${text}</w:t></w:r></w:p>`);
  return zipped({ ...entriesOf(file), [MAIN]: xml });
}

async function aWorld(options: Parameters<typeof aGenerationsApi>[0] = {}) {
  const world = await aGenerationsApi(options);
  const { context } = world;
  return {
    ...world,
    templates: bindPort(templatesPort, context).use(),
    documents: bindPort(documentsPort, context).use(),
    edits: bindPort(editedDocumentsPort, context).use(),
  };
}

describe('TemplateService', () => {
  it('makes, lists, changes and deletes templates, and takes files', async () => {
    const { templates } = await aWorld();

    const made = await templates.createTemplate({ code: 'x', name: 'X', type: 'TYPE_1' }, demo);
    const file = { fileName: 'x.docx', bytes: letter('{{a}}') };
    const stored = await templates.uploadTemplateFile(made.id, file, demo);
    const seen = { version: 2 };
    const next = await templates.updateTemplate(made.id, { name: 'Y', type: 'TYPE_3' }, demo, seen);
    const stale = templates.updateTemplate(made.id, { name: 'Z', type: 'TYPE_1' }, demo, seen);

    expect(stored).toMatchObject({ fileVersion: 1, fileName: 'x.docx' });
    expect(next).toMatchObject({ name: 'Y', type: 'TYPE_3', version: 3, file: stored });
    await expect(stale).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    const { content } = await templates.listTemplates({ q: 'Y' }, demo);
    expect(content).toEqual([next]);
    await templates.deleteTemplate(made.id, demo);
    expect((await templates.listTemplates({ q: 'Y' }, demo)).content).toEqual([]);
  });
});

describe('DocumentGenerationService', () => {
  it('generates, previews, lists, finalizes and cancels documents', async () => {
    const { documents, templateId } = await aWorld();
    const order = { outputFormat: 'DOCX', entityData: { ho_ten: 'An' } } as const;
    const keyed = { ...order, idempotencyKey: 'k' };

    const made = await documents.generateDocument(templateId, keyed, demo);
    const again = await documents.generateDocument(templateId, keyed, demo);
    const preview = await documents.previewDocument(templateId, order, demo);
    const final = await documents.finalizeGeneration(templateId, made.generationId, demo);
    const other = await documents.generateDocument(templateId, order, demo);
    const gone = await documents.cancelGeneration(templateId, other.generationId, demo);

    expect(made).toMatchObject({ status: 'GENERATED', editStatus: 'EDITABLE', warningCodes: [] });
    expect(again.generationId).toBe(made.generationId);
    expect(preview).toMatchObject({ format: 'DOCX', warningCodes: [] });
    expect(final).toMatchObject({ status: 'FINALIZED', outputHash: made.outputHash });
    expect(gone).toMatchObject({ status: 'CANCELLED', fileUrl: null });
    const history = await documents.getGenerationHistory(templateId, {}, demo);
    expect(history.content.map(({ generationId }) => generationId)).toEqual([
      other.generationId,
      made.generationId,
    ]);
  });

  it('prints as it is asked to, where the engine does', async () => {
    const { documents, templateId } = await aWorld({
      svc: { template: { enabled: true, 'pdf-converter': 'chromium' } },
      functions: { 'pdf-chromium': 'the-function' },
    });

    const archive = documents.generateDocument(
      templateId,
      { outputFormat: 'PDF', pdf: { pdfA: true } },
      demo,
    );

    await expect(archive).rejects.toMatchObject({ code: 'PDF_OPTION_NOT_SUPPORTED' });
    const declared = documentsPort.problems?.map(({ type }) => type.code);
    expect(declared).toEqual(
      expect.arrayContaining(['PDF_OPTION_NOT_SUPPORTED', 'PDF_NOT_AVAILABLE', 'RENDER_BUSY']),
    );
  });

  it('stores a generation in units of its own', async () => {
    const { documents, templateId, context, list } = await aWorld();
    const order = { outputFormat: 'DOCX' } as const;

    const unit = context.unitOfWork(async () => {
      await documents.generateDocument(templateId, order, demo);
      throw new Error('The caller has failed');
    });

    await expect(unit).rejects.toThrow('The caller has failed');
    expect((await list()).body.content).toMatchObject([{ status: 'GENERATED' }]);
  });
});

describe('EditedDocuments', () => {
  const locked = [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }];

  async function aDocument() {
    const world = await aWorld({ fields: locked });
    const { body } = await world.generate({ entityData: { ho_ten: 'An' } });
    const [fileId = ''] = world.outputs();
    const bytes = world.storage.files.get(fileId) ?? Buffer.alloc(0);
    const save = (more: Partial<EditorSave> = {}) =>
      world.context.unitOfWork((unit) =>
        world.edits.save(unit, {
          fileId,
          content: bytes,
          userId: 'lan',
          isTerminal: true,
          ...more,
        }),
      );
    return { ...world, id: body.generationId, fileId, bytes, save };
  }

  it('stores an edited document, and says whether the editing has ended', async () => {
    const world = await aDocument();

    const during = await world.save({ isTerminal: false });
    const { body: editing } = await world.get(world.id);
    const ended = await world.save();

    expect(during).toMatchObject({ path: world.fileId, warningCodes: [] });
    expect(editing).toMatchObject({ status: 'GENERATED', editStatus: 'EDITING' });
    const { body } = await world.get(world.id);
    expect(body.editStatus).toBe('EDITED');
    expect(ended).toMatchObject({ hash: body.outputHash });
  });

  it('gives locked values back that were edited', async () => {
    const world = await aDocument();
    const { openDocx, writeDocx, withEntries, readXml } = await import(
      '../../../../shared/docx/index.ts'
    );
    const pkg = await openDocx(world.bytes);
    const forged = readXml(pkg, 'word/document.xml').replace('>An<', '>Somebody else<');
    const bytes = await writeDocx(withEntries(pkg, new Map([['word/document.xml', forged]])));
    expect(textOf(bytes)).toBe('Dear Somebody else');

    const stored = await world.save({ content: bytes });

    expect(stored).toMatchObject({ warningCodes: ['LOCKED_FIELD_MODIFIED'] });
    expect(textOf(world.storage.files.get(world.fileId))).toBe('Dear An');
    expect((await world.get(world.id)).body.warningCodes).toContain('LOCKED_FIELD_MODIFIED');
  });

  it('makes controls of merge fields that were typed, and keeps the values of others', async () => {
    const world = await aWorld({ text: '{{ho_ten}} {{lop}}', fields: locked });
    const { body } = await world.generate({ entityData: { ho_ten: 'An', lop: '{{6A}} [[x]]' } });
    const [fileId = ''] = world.outputs();
    const sent = typed(world.storage.files.get(fileId), ' {{moi}}');

    const store = () =>
      world.context.unitOfWork((unit) =>
        world.edits.save(unit, { fileId, content: sent, userId: 'lan', isTerminal: false }),
      );
    const [first, again] = [await store(), await store()];

    const { controls, paragraphs } = readPart(world.storage.files.get(fileId) ?? sent);
    expect(controls.map(({ tag, text }) => [tag, text])).toEqual([
      ['svc:mf:ho_ten', 'An'],
      ['svc:mf:lop', '{{6A}} [[x]]'],
      ['svc:mf:moi', '{{moi}}'],
    ]);
    expect(paragraphs).toEqual(['An {{6A}} [[x]] {{moi}}']);
    expect(first).toMatchObject({ warningCodes: [] });
    expect(again).toEqual(first);
    expect((await world.get(body.generationId)).body).toMatchObject({ editStatus: 'EDITING' });
  });

  it('writes nothing over what is finalized, cancelled or none of its files', async () => {
    const world = await aDocument();
    const other = await world.save({ fileId: 'documents/others/x.docx' });
    await world.finalize(world.id);
    const [final = ''] = world.outputs();

    expect(other).toBeUndefined();
    expect(await world.save()).toBe('conflict');
    expect(await world.save({ fileId: final })).toBe('conflict');
    expect(world.storage.files.get(final)).toEqual(world.bytes);
  });

  it('makes a saved template its next version, with its merge fields', async () => {
    const world = await aWorld({ fields: locked });
    const fileId = [...world.storage.files.keys()].find((name) => name.endsWith('.docx')) ?? '';
    const save = { fileId, userId: 'lan', isTerminal: true };

    const stored = await world.context.unitOfWork((unit) =>
      world.edits.save(unit, { ...save, content: letter('{{ho_ten}} {{new}}') }),
    );
    const broken = await world.context.unitOfWork((unit) =>
      world.edits.save(unit, { ...save, content: Buffer.from('broken') }),
    );

    expect(stored).toMatchObject({ path: expect.stringMatching(/\/2-/) });
    expect(broken).toBe('conflict');
    const fields = await world.api.get(`${world.path}/merge-fields`);
    expect(fields.body).toMatchObject({
      fileVersion: 2,
      fields: [
        { name: 'ho_ten', bound: true },
        { name: 'new', bound: false },
      ],
    });
    const { body } = await world.api.get(`${world.path}/file-versions`);
    expect(body.content).toMatchObject([{ origin: 'EDITOR', createdBy: 'lan' }, {}]);
  });
});
