import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bucketFiles } from '../../../../shared/files/create-files.ts';
import { createLog } from '../../../../shared/lambda/logger.ts';
import { unpackFiles } from '../../../../shared/packed/unpack-files.ts';
import { addedFonts } from '../added-fonts.ts';
import { createEngineHandler } from '../engine-function.ts';
import { ChromiumEngine } from './chromium-engine.ts';
import { installedBrowser, unpackChromium } from './chromium-files.ts';
import { readFonts } from './fonts.ts';

/** The handler of the function that prints by Chromium: that of its archive, or the one that `CHROMIUM_PATH` names. */
export function createChromiumFunction(variables = process.env) {
  const { BUCKET_NAME = '', SVC_MODULE = 'templates-pdf-chromium', CHROMIUM_PATH } = variables;
  const log = createLog(SVC_MODULE);
  const assets = join(import.meta.dirname, 'assets');
  const engine = new ChromiumEngine({
    files: async () =>
      CHROMIUM_PATH
        ? installedBrowser(CHROMIUM_PATH)
        : unpackChromium(join(assets, 'chromium'), {
            ...{ temporary: tmpdir(), fonts: addedFonts(variables) },
          }),
    fonts: () => readFonts((font) => unpackFiles(join(assets, 'fonts', font), tmpdir())),
    log,
  });
  return createEngineHandler({ files: bucketFiles(BUCKET_NAME), engine, log });
}
