import { existsSync, readFileSync } from 'node:fs';
import {
  DocxRefused,
  inspectDocx,
  normaliseDocx,
  openDocx,
  writeDocx,
} from '../../../../shared/docx/index.ts';

// A process that does with each file what an upload does, and says what became of it and how much memory it took.
for (const path of process.argv.slice(2)) {
  let outcome = 'taken';
  try {
    const { pkg } = normaliseDocx(await openDocx(readFileSync(path)));
    inspectDocx(pkg);
    writeDocx(pkg);
  } catch (error) {
    if (!(error instanceof DocxRefused)) throw error;
    outcome = error.code;
  }
  process.stdout.write(`${JSON.stringify({ path, outcome, maxRss: mostMemory() })}\n`);
}

/** Most memory that this program has had (KiB). On Linux `maxRSS` begins with what the process had that started it. */
function mostMemory(): number {
  const status = '/proc/self/status';
  const [, peak] = existsSync(status)
    ? (/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8')) ?? [])
    : [];
  return peak === undefined ? process.resourceUsage().maxRSS : Number(peak);
}
