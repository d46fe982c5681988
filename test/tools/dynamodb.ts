/** `npm run test:dynamodb`: holds the facts that the in-memory table is built on against Amazon's DynamoDB Local. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../bin/dev/paths.ts';
import { runCommand, say } from '../../bin/dev/terminal/output.ts';
import { missingForDynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';

await runCommand(async () => {
  const missing = missingForDynamoDbLocal();
  if (missing) {
    say(missing);
    process.exitCode = 1;
    return;
  }
  say('Starting DynamoDB Local (the first time, Maven fetches 51 MB).');
  const server = await startDynamoDbLocal();
  try {
    const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
    const child = spawn(
      process.execPath,
      [vitest, 'run', '--config', 'test/dynamodb/vitest.config.ts'],
      {
        cwd: projectRoot,
        env: { ...process.env, DYNAMODB_LOCAL: server.endpoint },
        stdio: 'inherit',
      },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    await server.stop();
  }
});
