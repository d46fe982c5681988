import { afterEach, describe, expect, it } from 'vitest';
import { IdentitySourceBeanRegistry } from '../../../../functions/identity/identity-source-bean-registry.ts';
import { systemClock } from '../../../../shared/primitives/clock.ts';
import { type Script, scriptedSource } from '../../../helpers/scim/scripted-source.ts';

type Source = Awaited<ReturnType<typeof scriptedSource>>;
const open: Source[] = [];
afterEach(async () => {
  for (const source of open.splice(0)) await source.close();
});

async function validated(script: Script, more: { baseUrl?: string; allow?: boolean } = {}) {
  const source = await scriptedSource(script);
  open.push(source);
  const registry = new IdentitySourceBeanRegistry({
    clock: systemClock,
    pause: async () => undefined,
    idp: {
      allowedHosts: [],
      allowInsecureHosts: more.allow === false ? [] : [new URL(source.origin).host],
      requestsPerSecond: 1_000,
    },
  });
  const { checks, capabilities } = await registry.of('EXTSRC').validate({
    ...{ ...source.config, incrementalEnabled: false },
    baseUrl: more.baseUrl ?? source.config.baseUrl,
  });
  return {
    checks: checks.map(({ name, status }) => `${name} ${status}`),
    capabilities,
    text: JSON.stringify(checks),
  };
}
const PASSED = ['url', 'dns', 'connect', 'tls', 'login', 'serviceProviderConfig'].map(
  (name) => `${name} PASS`,
);
const NOT_TRIED = ['listUsers SKIP', 'listGroups SKIP', 'incremental SKIP'];

describe('a validation', () => {
  it('logs in and reads a user and a group', async () => {
    const { checks, capabilities } = await validated(() => undefined);
    expect(checks).toEqual([...PASSED, 'listUsers PASS', 'listGroups PASS', 'incremental PASS']);
    expect(capabilities).toMatchObject({
      authMode: 'basic',
      filter: true,
      userCount: 5,
      groupCount: 0,
    });
  });

  it('says where a wrong login ends, and nothing that the source has said', async () => {
    const { checks, text } = await validated(() => ({ status: 401, body: { detail: 'canary' } }));
    expect(checks).toEqual([
      ...PASSED.slice(0, 4),
      'login FAIL',
      'serviceProviderConfig SKIP',
      ...NOT_TRIED,
    ]);
    expect(text).not.toContain('canary');
    expect(text).not.toContain('pass:');
  });

  it('tells a list that cannot be read', async () => {
    const { checks } = await validated(({ path }) =>
      path.endsWith('/Groups') ? { status: 400 } : undefined,
    );
    expect(checks).toContain('listGroups FAIL');
    expect(checks).toContain('listUsers PASS');
  });

  it('calls no address that is not permitted', async () => {
    const { checks } = await validated(() => undefined, { allow: false });
    expect(checks.slice(0, 2)).toEqual(['url FAIL', 'dns SKIP']);
    expect(open[0]?.asked).toEqual([]);
  });
});
