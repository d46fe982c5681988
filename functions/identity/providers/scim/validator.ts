import { HttpClientError } from '../../../../shared/http-client/http-client-error.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import { readGroups } from '../../domain/directory/group.ts';
import {
  type Check,
  CONNECTION_STEPS,
  checksUpTo,
  connectionStepOf,
  skipped,
} from '../../http/checks.ts';
import type { Capabilities, ProviderReport } from '../provider.ts';
import { SourceError } from '../source-error.ts';
import type { ScimClient } from './scim-client.ts';

/** Checks in their order; what comes after a failed one is not tried. */
const STEPS = [...CONNECTION_STEPS, 'login', 'serviceProviderConfig'] as const;
type Step = (typeof STEPS)[number];
const BUDGET_MS = 15_000;

/** Tries a source: logs in and reads a user and a group. Its answers are not shown. */
export async function validateScim(client: ScimClient, clock: Clock): Promise<ProviderReport> {
  const started = clock.now();
  const checks: Check[] = [];
  let capabilities: ProviderReport['capabilities'] = {};
  const timed = async (name: string, work: () => Promise<string>): Promise<boolean> => {
    const from = clock.now();
    if (from - started > BUDGET_MS) {
      checks.push({ name, status: 'SKIP', latencyMs: 0, message: 'The time for checks is over.' });
      return false;
    }
    try {
      const message = await work();
      checks.push({ name, status: 'PASS', latencyMs: clock.now() - from, message });
      return true;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      checks.push({ name, status: 'FAIL', latencyMs: clock.now() - from, message: error.message });
      return false;
    }
  };
  const first = clock.now();
  const known = await client.capabilities().catch((error: unknown) => error);
  const latencyMs = clock.now() - first;
  const failure = known instanceof SourceError ? known : undefined;
  if (!failure && known instanceof Error) throw known;
  const message = failure?.message ?? '';
  checks.push(...checksUpTo(STEPS, failure && stepOf(failure), { latencyMs, message }));
  if (failure) return { checks: [...checks, ...LATER.map((name) => skipped(name))], capabilities };
  const told = known as Capabilities;
  capabilities = { ...told };
  await timed('listUsers', async () => {
    const { resources, total } = await client.page({ kind: 'Users', position: one() });
    capabilities = { ...capabilities, userCount: total };
    return resources.length > 0 ? 'A user was read.' : 'The source has no users.';
  });
  await timed('listGroups', async () => {
    const { resources, total } = await client.page({ kind: 'Groups', position: one() });
    const nestedGroups = readGroups(resources).some(({ groups }) => groups.length > 0);
    capabilities = { ...capabilities, groupCount: total, nestedGroups };
    return resources.length > 0 ? 'A group was read.' : 'The source has no groups.';
  });
  if (told.filter) {
    await timed('incremental', async () => {
      await client.count('Users', `meta.lastModified ge "${new Date(started).toISOString()}"`);
      return 'What has changed can be asked for.';
    });
  } else
    checks.push(skipped('incremental', 'The source has no filters: every run reads everything.'));
  return { checks, capabilities };
}

const one = () => ({ startIndex: 1, read: 0, total: -1, size: 1 });

function stepOf({ code, cause }: SourceError): Step {
  if (code === 'LOGIN_FAILED') return 'login';
  const step = cause instanceof HttpClientError ? connectionStepOf(cause) : undefined;
  if (step) return step;
  return code === 'ADDRESS_REFUSED' ? 'url' : 'serviceProviderConfig';
}

const LATER = ['listUsers', 'listGroups', 'incremental'];
