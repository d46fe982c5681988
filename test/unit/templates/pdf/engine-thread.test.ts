import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../../functions/templates/pdf/libreoffice/engine.ts';
import { threadFile } from '../../../../functions/templates/pdf/libreoffice/thread.ts';
import { temporaryFolder } from '../../lib/synthesise.ts';

/** A loader as that of the package, whose own program takes what `OfficeKit` waits for. */
const LOADER = `exports.createModule = async ({ noInitialRun }) => ({
  FS: { mkdir() {}, writeFile() {}, readFile() {}, unlink() {} },
  HEAPU8: new Uint8Array(1_024),
  _malloc: () => 0,
  _free() {},
  _lok_enableSyncEvents() {},
  _libreofficekit_hook: () => (noInitialRun ? 1 : 0),
});`;

describe('the thread of an engine', () => {
  it('starts LibreOffice once, and not the program of its package too', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'loader.cjs'), LOADER);
    const engine = new Engine({ file: threadFile, data: { svcEngine: 'libreoffice', folder } });

    await expect(engine.ready()).resolves.toBeUndefined();

    await engine.stop();
  });
});
