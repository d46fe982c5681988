/** `npm run docs:verify -- <vectors.json>`: replays recorded requests of a document server into the real handlers. */
import { readFileSync } from 'node:fs';
import { CommandError } from '../../bin/dev/terminal/command-error.ts';
import { runCommand } from '../../bin/dev/terminal/output.ts';
import { replay } from './docs-verify/replay.ts';
import { readVectors } from './docs-verify/vectors.ts';

await runCommand(async () => {
  const [path] = process.argv.slice(2);
  if (!path) {
    throw new CommandError('There is no file.', 'npm run --silent docs:verify -- <vectors.json>');
  }
  const file = readVectors(readFileSync(path, 'utf8'));
  const counts = { passed: 0, failed: 0 };
  for (const vector of [...file.genuine, ...file.made]) {
    const wrong = await replay(vector, file).catch((error: unknown) => `it failed: ${error}`);
    counts[wrong === undefined ? 'passed' : 'failed'] += 1;
    console.log(wrong === undefined ? `ok ${vector.name}` : `FAIL ${vector.name}: ${wrong}`);
  }
  console.log(JSON.stringify(counts));
  if (counts.failed > 0) process.exitCode = 1;
});
