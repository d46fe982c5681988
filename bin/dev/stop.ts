import { stopEverything } from './start/stop-everything.ts';
import { runCommand, say } from './terminal/output.ts';

await runCommand(async () => {
  const stopped = await stopEverything();
  say(stopped ? 'Stopped; the data is kept.' : 'Nothing was running.');
});
