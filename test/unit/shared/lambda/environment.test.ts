import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../../shared/lambda/environment.ts';

const variables = {
  SVC_MODULE: 'settings',
  SVC_STAGE: 'prod',
  SVC_VERSION: '1.2.3',
  SVC_CONFIG: '{"mq":{"relay":{"batch-size":7}}}',
  SVC_MODULES_ON: '["settings","workflow"]',
  TABLE_NAME: 'table',
  BUCKET_NAME: 'bucket',
  EVENT_BUS_NAME: 'bus',
};

describe('readEnvironment', () => {
  it('reads what the stack tells the function', () => {
    const environment = readEnvironment(variables);

    expect(environment).toMatchObject({
      module: 'settings',
      stage: 'prod',
      version: '1.2.3',
      modulesOn: ['settings', 'workflow'],
      tableName: 'table',
      bucketName: 'bucket',
      eventBusName: 'bus',
      config: { mq: { relay: { batchSize: 7 } } },
    });
  });

  it.each(['SVC_MODULE', 'SVC_STAGE', 'TABLE_NAME', 'BUCKET_NAME', 'EVENT_BUS_NAME'])(
    'does not start without %s',
    (name) => {
      expect(() => readEnvironment({ ...variables, [name]: undefined })).toThrow(name);
      expect(() => readEnvironment({ ...variables, [name]: '' })).toThrow(name);
    },
  );

  it('finds the keys of logins at the local cloud, or where the stack says', () => {
    const cloud = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
    const address = 'https://api.example.com/jwks';

    const local = readEnvironment({ ...variables, ...cloud, SVC_SESSION_KEYS: '/a/$default/jwks' });
    const other = readEnvironment({ ...variables, SVC_SESSION_KEYS: address });

    expect(local.sessionKeys).toBe('http://127.0.0.1:4566/a/$default/jwks');
    expect(other.sessionKeys).toBe(address);
  });

  it('does not start with a configuration that breaks a rule', () => {
    const SVC_CONFIG = '{"mq":{"relay":{"enabled":true}}}';

    expect(() => readEnvironment({ ...variables, SVC_CONFIG })).toThrow('MQ_APP_CODE_REQUIRED');
  });

  it('refuses the local issuer outside the local stage', () => {
    const SVC_CONFIG = '{"security":{"dev":true}}';

    expect(() => readEnvironment({ ...variables, SVC_CONFIG })).toThrow('SECURITY_DEV_NOT_LOCAL');
    expect(() => readEnvironment({ ...variables, SVC_CONFIG, SVC_STAGE: 'local' })).not.toThrow();
  });
});
