import { eraseLocalCloud } from './local-cloud/ensure.ts';
import { stopEverything } from './start/stop-everything.ts';
import { runCommand, say, warn } from './terminal/output.ts';

await runCommand(async () => {
  await stopEverything();
  const foreign = process.env.AWS_ENDPOINT_URL;
  if (foreign)
    warn(`The cloud at AWS_ENDPOINT_URL=${foreign} is not ours: its data is left alone.`);
  eraseLocalCloud();
  say('The local data is gone. "npm start" deploys everything anew.');
});
