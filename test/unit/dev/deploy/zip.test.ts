import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { codeSha256, zipFolder } from '../../../../bin/dev/deploy/zip.ts';

describe('zipFolder', () => {
  it('packs folders and gives equal bytes for equal content', () => {
    const folder = mkdtempSync(join(tmpdir(), 'zip-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.mjs'), 'export {}');
    writeFileSync(join(folder, 'assets', 'a.txt'), 'ä');

    const first = zipFolder(folder);
    utimesSync(join(folder, 'index.mjs'), 1, 1);

    expect(codeSha256(zipFolder(folder))).toBe(codeSha256(first));
    const entries = unzipSync(first);
    expect(Object.keys(entries).sort()).toEqual(['assets/a.txt', 'index.mjs']);
    expect(strFromU8(entries['assets/a.txt'] ?? new Uint8Array())).toBe('ä');
  });
});
