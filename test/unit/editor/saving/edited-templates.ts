import { documentStorage } from '../../../helpers/editor/document-storage.ts';
import { aTemplatesApi, TEMPLATES } from '../../templates/templates-api.ts';
import type { EditorOptions } from '../editor-api.ts';
import { anOpenDocument, letter } from './saves.ts';

/** A template whose file is being edited, with the API of templates beside the editor. */
export async function anOpenTemplate(options: EditorOptions = {}) {
  const storage = documentStorage();
  const templates = aTemplatesApi({ storage });
  const id = await templates.aTemplate({ code: 'HDLD' });
  await templates.upload(id, letter('first {{city}}'));
  const fileId = [...storage.files.keys()].find((path) => path.endsWith('.docx')) ?? '';
  const opening = { fileId, fileName: 'letter.docx', documentId: id, templateType: 'TYPE_1' };
  const world = await anOpenDocument(
    { ...options, storage, besides: templates.context, svc: { template: { enabled: true } } },
    opening,
  );
  const path = `${TEMPLATES}/${id}`;
  return {
    ...world,
    ...{ id, fileId, templates, opening },
    upload: (text: string) => templates.upload(id, letter(text)),
    /** What the editing server has from now on. */
    edit(text: string): void {
      world.server.answer = (_, response) => response.end(letter(text));
    },
    fileVersions: async () => (await templates.get(`${path}/file-versions`)).body.content,
    fields: async () => (await templates.get(`${path}/merge-fields`)).body.fields,
  };
}
