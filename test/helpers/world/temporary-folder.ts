import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimProcesses } from '../../../bin/dev/local-cloud/lives-with.ts';

/**
 * Gives the run a temporary folder of its own, which goes with it: synthesis alone leaves hundreds behind. What the run
 * starts ends with it, however it ends.
 */
export default function prepareRun(): () => void {
  claimProcesses();
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-test-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
