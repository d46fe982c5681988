import { StartSession } from './start/session.ts';
import { parseStartOptions } from './terminal/arguments.ts';
import { runCommand } from './terminal/output.ts';

await runCommand(async () => {
  const session = new StartSession(parseStartOptions(process.argv.slice(2)));
  await session.run();
});

// Exit even if an open handle remains.
process.exit();
