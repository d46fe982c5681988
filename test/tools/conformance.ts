/** `npm run conformance -- <folder>`: plays the CMMN scenarios of a folder and says how each of them went. */
import { runFolder } from './conformance/run-folder.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run conformance -- <folder with scenarios.json>');
  process.exit(2);
}
const counts = { passed: 0, failed: 0, skipped: 0, otherwise: 0 };
try {
  for await (const { scenario, status, reason } of runFolder(folder)) {
    counts[status]++;
    console.log(`${status} ${scenario.id}${reason ? ` - ${reason}` : ''}`);
  }
  console.log(JSON.stringify(counts));
  process.exitCode = counts.failed + counts.skipped > 0 ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
