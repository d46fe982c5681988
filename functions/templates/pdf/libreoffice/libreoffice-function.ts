import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bucketFiles } from '../../../../shared/files/create-files.ts';
import { createLog } from '../../../../shared/lambda/logger.ts';
import { unpackFiles } from '../../../../shared/packed/unpack-files.ts';
import { addedFonts, fontFilesIn } from '../added-fonts.ts';
import { createEngineHandler } from '../engine-function.ts';
import { LibreOfficeEngine } from './libreoffice-engine.ts';
import { threadFile } from './thread.ts';

/** Longest time until an engine prints on a machine that has other work, too. */
const LOCAL_START_MS = 40_000;

/** The handler of the function that prints by LibreOffice, from the files of its archive. */
export function createLibreOfficeFunction(variables = process.env) {
  const { BUCKET_NAME = '', SVC_MODULE = 'templates-pdf-libreoffice', SVC_STAGE } = variables;
  const log = createLog(SVC_MODULE);
  const assets = join(import.meta.dirname, 'assets');
  const engine = new LibreOfficeEngine({
    files: () => unpackFiles(join(assets, 'libreoffice'), tmpdir()),
    fonts: fontFilesIn(addedFonts(variables)),
    trial: readFileSync(join(assets, 'pdf', 'trial.docx')),
    thread: threadFile,
    ...(SVC_STAGE === 'local' && { startMs: LOCAL_START_MS }),
    log,
  });
  return createEngineHandler({ files: bucketFiles(BUCKET_NAME), engine, log });
}
