import { ensureDevIssuer, signDevToken } from './dev-issuer.ts';
import { requireOutputs } from './outputs.ts';
import { seedDemoData } from './seed/seed-demo-data.ts';
import { runCommand, say } from './terminal/output.ts';

await runCommand(async () => {
  const { baseUrl } = requireOutputs();
  const token = await signDevToken(await ensureDevIssuer(), { sub: 'demo', roles: ['admin'] });
  const calls = await seedDemoData(baseUrl, token);
  say(calls === 0 ? 'The demo data is there already.' : `Demo data made by ${calls} calls.`);
});
