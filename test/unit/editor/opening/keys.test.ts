import { describe, expect, it } from 'vitest';
import { anEditorApi, LETTER } from '../editor-api.ts';

describe('the key of a document', () => {
  it('is the same for everybody, so that they edit together', async () => {
    const { opened } = anEditorApi();

    const configs = await Promise.all([
      opened(),
      opened({ mode: 'view' }, { caller: { sub: 'lan', permissions: ['docs:view'] } }),
      opened({ mode: 'comment' }, { caller: { sub: 'mai', permissions: ['docs:edit'] } }),
    ]);

    expect(new Set(configs.map(({ document }) => document.key)).size).toBe(1);
  });

  it('changes when somebody else has replaced the file', async () => {
    const { opened, storage } = anEditorApi();
    const { document: before } = await opened();
    storage.files.set(LETTER, Buffer.from('replaced'));

    const { document: after } = await opened();
    const { document: again } = await opened();

    expect(after.key).not.toBe(before.key);
    expect(again.key).toBe(after.key);
  });

  it('cannot be guessed: a thousand of them have nothing in common', async () => {
    const { opened, storage } = anEditorApi();
    const keys = new Set<string>();
    for (let at = 0; at < 1_000; at += 1) {
      const fileId = `documents/${at}.docx`;
      storage.files.set(fileId, Buffer.from('x'));
      keys.add((await opened({ fileId, fileName: 'a.docx', mode: 'view' })).document.key);
    }

    expect(keys.size).toBe(1_000);
    for (let at = 0; at < 43; at += 1) {
      const letters = new Set([...keys].map((key) => key[at]));
      // The last of 43 letters holds 4 of the 256 bits.
      expect(letters.size).toBeGreaterThan(at === 42 ? 10 : 50);
    }
  });

  it('is of 256 bits and differs between the revisions of one file', async () => {
    const { opened, storage } = anEditorApi();
    const keys: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      storage.files.set(LETTER, Buffer.from(`revision ${at}`));
      keys.push((await opened()).document.key);
    }

    expect(new Set(keys.map((key) => key.slice(0, 6))).size).toBe(20);
    expect(keys.every((key) => Buffer.from(key, 'base64url').length === 32)).toBe(true);
  });
});
