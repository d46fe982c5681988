import { afterEach, describe, expect, it, vi } from 'vitest';
import { functionEntries } from '../../../../lib/bundling/bundle.ts';
import { platformModules } from '../../../../lib/modules.ts';
import { readEnvironment } from '../../../../shared/lambda/environment.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';

const stage = 'prod';
const config = loadConfig(
  {
    'mq.app-code': 'shop',
    'mq.relay.batch-size': 7,
    'security.issuers': [{ issuer: 'https://id.example.com', audience: 'shop' }],
  },
  { stage },
);

describe('the configuration that a function is bundled with', () => {
  afterEach(() => vi.unstubAllGlobals());

  const entry = functionEntries(platformModules, { stage, config }).find(
    ({ name }) => name === 'entities',
  );
  const SVC_CONFIG = entry?.checkedConfig?.text ?? '';
  const section = platformModules.find(({ name }) => name === 'entities')?.configuration;
  const start = (variables: Readonly<Record<string, string>> = {}) =>
    readEnvironment(
      {
        SVC_MODULE: 'entities',
        SVC_STAGE: stage,
        SVC_CONFIG,
        TABLE_NAME: 'table',
        BUCKET_NAME: 'bucket',
        EVENT_BUS_NAME: 'bus',
        ...variables,
      },
      ...(section ? [section] : []),
    ).config;

  it('is what the function reads from its environment', () => {
    expect(entry?.checkedConfig?.config).toEqual(start());
    expect(start()).toMatchObject({ mq: { appCode: 'shop', relay: { batchSize: 7 } } });
  });

  it('is taken as it is for the same text and stage', () => {
    vi.stubGlobal('SVC_CHECKED_CONFIG', entry?.checkedConfig);

    expect(start()).toBe(entry?.checkedConfig?.config);
  });

  it('does not stand for another text, which is read and checked', () => {
    vi.stubGlobal('SVC_CHECKED_CONFIG', entry?.checkedConfig);
    const other = SVC_CONFIG.replace('"batch-size":7', '"batch-size":8');
    const wrong = SVC_CONFIG.replace('batch-size', 'batch-sise');

    expect(start({ SVC_CONFIG: other })).toMatchObject({ mq: { relay: { batchSize: 8 } } });
    expect(() => start({ SVC_CONFIG: wrong })).toThrow('CONFIG_UNKNOWN_PROPERTY');
  });

  it('does not stand for another stage', () => {
    vi.stubGlobal('SVC_CHECKED_CONFIG', entry?.checkedConfig);

    expect(start({ SVC_STAGE: 'dev' })).not.toBe(entry?.checkedConfig?.config);
  });
});
