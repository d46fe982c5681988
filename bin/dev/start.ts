import { StartSession } from './start/session.ts';
import { parseContextOptions } from './terminal/arguments.ts';
import { runCommand } from './terminal/output.ts';

await runCommand(async () => {
  const session = new StartSession({ context: parseContextOptions(process.argv.slice(2)) });
  await session.run();
});

// Exit even if an open handle remains.
process.exit();
