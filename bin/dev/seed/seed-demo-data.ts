import { CommandError } from '../terminal/command-error.ts';
import { demoCalls, demoMarkerPath } from './demo-data.ts';

/**
 * Creates the demo data through the public API, unless it exists.
 * @returns the number of calls; 0 when the data exists.
 */
export async function seedDemoData(baseUrl: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const marker = await fetch(baseUrl + demoMarkerPath, { headers });
  if (marker.ok) return 0;
  if (marker.status !== 404) throw await seedFailure('GET', demoMarkerPath, marker);
  const calls = demoCalls();
  for (const { method, path, body } of calls) {
    const answer = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw await seedFailure(method, path, answer);
  }
  return calls.length;
}

async function seedFailure(method: string, path: string, answer: Response): Promise<CommandError> {
  const body = (await answer.text()).slice(0, 500);
  return new CommandError(
    `The demo data could not be made: ${method} ${path} answered ${answer.status}: ${body}`,
    'Read the log above ("npm run logs" shows it again); after the correction run "npm run seed".',
  );
}
