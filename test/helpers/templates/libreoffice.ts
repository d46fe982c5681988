import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  LibreOfficeEngine,
  type LibreOfficeOptions,
} from '../../../functions/templates/pdf/libreoffice/libreoffice-engine.ts';
import { threadFile } from '../../../functions/templates/pdf/libreoffice/thread.ts';

const trialFile = new URL('../../../functions/templates/assets/pdf/trial.docx', import.meta.url);
const { resolve } = createRequire(import.meta.url);

/** LibreOffice from the installed package, unpacked as it lies there. */
export function installedLibreOffice(
  warn: (message: string, facts?: object) => void = () => {},
  options: Partial<LibreOfficeOptions> = {},
) {
  const manifest = resolve('@matbee/libreoffice-converter/package.json');
  return new LibreOfficeEngine({
    files: async () => join(dirname(manifest), 'wasm'),
    trial: readFileSync(trialFile),
    thread: threadFile,
    // The process of tests is not that of a function.
    maxMemoryBytes: Number.MAX_SAFE_INTEGER,
    startMs: 60_000,
    log: { warn },
    ...options,
  });
}
