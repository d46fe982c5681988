import { onTestFinished } from 'vitest';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { aGenerationsApi } from '../../templates/generations/generations-api.ts';
import { anOpenDocument } from '../saving/saves.ts';

/** A generated document that somebody has opened, in a storage that keeps versions. */
export async function anOpenGeneration() {
  const storage = versionedStorage();
  const templates = await aGenerationsApi({ storage });
  const made = (await templates.generate({ entityData: { ho_ten: 'An' } })).body;
  const id = String(made.generationId);
  const [fileId = ''] = templates.outputs();
  const world = await anOpenDocument(
    { storage, besides: templates.context, svc: { template: { enabled: true } } },
    { fileId, fileName: 'letter.docx', documentId: id },
  );
  onTestFinished(() => world.server.close());
  return { storage, templates, made, id, fileId, world };
}
