import { CommandError } from '../terminal/command-error.ts';

const SOURCES = '/api/v1/identity_source';
const CODE = 'demo-directory';

interface Row {
  readonly id: string;
  readonly code: string;
}

/**
 * Makes the demo directory a source that is enabled, and synchronises it once.
 * @param address of the directory, which may have changed since the last start
 * @returns the path of the run's page
 */
export async function ensureDemoSource(
  baseUrl: string,
  token: string,
  address: string,
): Promise<string> {
  const call = caller(baseUrl, token);
  const list = await call<{ readonly content: readonly Row[] }>('GET', `${SOURCES}/list?size=100`);
  const known = list.content.find(({ code }) => code === CODE);
  const login = { adminUsername: 'admin', adminPassword: 'secret' };
  const basicConfig = { baseUrl: address, ...login, incrementalEnabled: true };
  const facts = { name: 'Demo directory', code: CODE, provider: 'EXTSRC' };
  const strategyConfig = { user: { enabled: true } };
  const { id } =
    known ??
    (await call<Row>('POST', `${SOURCES}/create`, { ...facts, basicConfig, strategyConfig }));
  if (known) await call('PUT', `${SOURCES}/save/config`, { id, basicConfig });
  else await call('PUT', `${SOURCES}/enable/${id}`);
  const run = await call<{ readonly batch: string }>('POST', `${SOURCES}/sync/execute/${id}`, {});
  return `${SOURCES}/sync/run/${run.batch}/view`;
}

const caller =
  (baseUrl: string, token: string) =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as T;
    throw new CommandError(
      `The demo directory could not be synchronised: ${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`,
      'Read the log above ("npm run logs" shows it again); after the correction start again.',
    );
  };
