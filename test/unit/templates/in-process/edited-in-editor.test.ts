import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { documentStorage } from '../../../helpers/editor/document-storage.ts';
import { anOpenDocument } from '../../editor/saving/saves.ts';
import { dyingAt } from '../dying-at.ts';
import { aGenerationsApi, textOf } from '../generations/generations-api.ts';
import { ofTenant } from '../templates-api.ts';

/** Longer than the claim on a save. */
const CLAIM_MS = 120_000;
const hashOf = (file: Uint8Array = Buffer.alloc(0)) =>
  createHash('sha256').update(file).digest('hex');

/** A generated document that is open in the editor. */
async function anEditedDocument() {
  const storage = documentStorage();
  const world = await aGenerationsApi({ storage });
  const { body } = await world.generate({ entityData: { ho_ten: 'An' } });
  const [fileId = ''] = world.outputs();
  const svc = { template: { enabled: true } };
  const opening = { fileId, documentId: body.generationId, fileName: 'letter.docx' };
  const editor = await anOpenDocument({ svc, storage, besides: world.context }, opening);
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
