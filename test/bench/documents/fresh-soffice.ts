import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../benchmark.ts';

const ROUNDS = 3;
const PROGRAM = process.env.SOFFICE_PATH ?? 'soffice';

/** Whether LibreOffice is installed on this machine: `SOFFICE_PATH`, or `soffice`. */
export const hasSoffice = (): boolean =>
  spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0;

/** How long an installed LibreOffice takes from its start to the PDF of a document (ms). */
export function timeSoffice(file: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-soffice-'));
  try {
    const source = join(folder, 'document.docx');
    writeFileSync(source, file);
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    const target = ['--convert-to', 'pdf', '--outdir', folder];
    const convert = () =>
      execFileSync(PROGRAM, [profile, '--headless', ...target, source], { stdio: 'ignore' });
    // The first one makes the profile.
    convert();
    return median(Array.from({ length: ROUNDS }, () => timed(convert)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(work: () => unknown): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}
