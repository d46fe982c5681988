import { eraseLocalCloud } from './local-cloud/ensure.ts';
import { stopEverything } from './start/stop-everything.ts';
import { runCommand, say } from './terminal/output.ts';

await runCommand(async () => {
  await stopEverything();
  eraseLocalCloud();
  say('The local data is gone. "npm start" deploys everything anew.');
});
