/** `npm run conformance -- [--http] <folder>`: plays the CMMN scenarios of a folder and says how each of them went. */
import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import { requireOutputs } from '../../bin/dev/outputs.ts';
import { runCommand } from '../../bin/dev/terminal/output.ts';
import { mapLimited } from '../../shared/primitives/map-limited.ts';
import { overHttp } from './conformance/http/play-over-http.ts';
import { outcomesOf } from './conformance/outcomes.ts';
import { playInProcess } from './conformance/run-folder.ts';
import { type ConformanceOptions, parseConformanceOptions } from './conformance-options.ts';

async function playerOf({ isOverHttp }: ConformanceOptions) {
  if (!isOverHttp) return playInProcess;
  const { baseUrl } = requireOutputs();
  const issuer = await ensureDevIssuer();
  return overHttp({ baseUrl, sign: (claims) => signDevToken(issuer, claims) });
}

await runCommand(async () => {
  const options = parseConformanceOptions(process.argv.slice(2));
  const counts = { passed: 0, failed: 0, skipped: 0, otherwise: 0 };
  const runs = await outcomesOf(options.folder, await playerOf(options));
  await mapLimited(runs, options.concurrency, async (run) => {
    const { scenario, status, reason } = await run();
    counts[status]++;
    console.log(`${status} ${scenario.id}${reason ? ` - ${reason}` : ''}`);
  });
  console.log(JSON.stringify(counts));
  if (counts.failed + counts.skipped > 0) process.exitCode = 1;
});
