import type { IdentityCall } from './identity-call.ts';

const SOURCES = '/api/v1/identity_source';
const CODE = 'demo-directory';

interface Row {
  readonly id: string;
  readonly code: string;
}

/** The demo directory as a source. */
export interface DemoSource {
  readonly id: string;
  /** Path of the page of its last run. */
  readonly runPage: string;
}

/**
 * Makes the demo directory a source that is enabled, and synchronises it once.
 * @param address of the directory, which may have changed since the last start
 */
export async function ensureDemoSource(call: IdentityCall, address: string): Promise<DemoSource> {
  const list = await call<{ readonly content: readonly Row[] }>('GET', `${SOURCES}/list?size=100`);
  const known = list.content.find(({ code }) => code === CODE);
  const login = { adminUsername: 'admin', adminPassword: 'secret' };
  const basicConfig = { baseUrl: address, ...login, incrementalEnabled: true };
  const facts = { name: 'Demo directory', code: CODE, provider: 'EXTSRC' };
  const strategyConfig = { user: { enabled: true, emailNotify: true } };
  const { id } =
    known ??
    (await call<Row>('POST', `${SOURCES}/create`, { ...facts, basicConfig, strategyConfig }));
  if (known) await call('PUT', `${SOURCES}/save/config`, { id, basicConfig });
  else await call('PUT', `${SOURCES}/enable/${id}`);
  const run = await call<{ readonly batch: string }>('POST', `${SOURCES}/sync/execute/${id}`, {});
  return { id, runPage: `${SOURCES}/sync/run/${run.batch}/view` };
}
