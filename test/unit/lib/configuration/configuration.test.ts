import { App } from 'aws-cdk-lib/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readConfig, readStage } from '../../../../lib/configuration/configuration.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the stage', () => {
  it('is the given one, else that of the context', () => {
    const app = new App({ context: { stage: 'prod' } });

    expect(readStage(app, 'test')).toBe('test');
    expect(readStage(app)).toBe('prod');
  });

  it('is local when the endpoint of a local cloud is set and nothing else is said', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');

    expect(readStage(new App())).toBe('local');
    expect(readStage(new App({ context: { stage: 'prod' } }))).toBe('prod');
  });

  it('is dev otherwise', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);

    expect(readStage(new App())).toBe('dev');
  });

  it.each(['Prod', '', 'a_b', '1st', 'a'.repeat(21)])('may not be named "%s"', (stage) => {
    expect(() => readStage(new App(), stage)).toThrow(`it is "${stage}" (STAGE_INVALID)`);
  });
});

describe('the configuration', () => {
  it('takes single properties over the object, and given ones over both', () => {
    const app = new App({
      context: {
        svc: { mq: { transport: 'broker', 'app-code': 'shop', shards: 2 }, 'web.max-body': 4096 },
        'svc.mq.transport': 'spring',
        'svc.mq.shards': '3',
      },
    });

    const config = readConfig(app, 'dev', { mq: { shards: 4 } });

    expect(config.mq).toMatchObject({ transport: 'spring', appCode: 'shop', shards: 4 });
    expect(config.web.maxBody).toBe(4096);
  });

  it('has the documented defaults for a host that says nothing', () => {
    expect(readConfig(new App(), 'dev').mq).toMatchObject({
      transport: 'spring',
      relay: { enabled: false },
    });
  });

  it('names every wrong property with its rule, and the nearest name of an unknown one', () => {
    const app = new App({
      context: { svc: { mq: { transprot: 'broker', relay: { enabled: 'maybe' } } } },
    });

    expect(() => readConfig(app, 'dev')).toThrow(/svc\.mq\.transprot.*nearest.*svc\.mq\.transport/);
    expect(() => readConfig(app, 'dev')).toThrow(/svc\.mq\.relay\.enabled/);
  });

  it('refuses what does not go together', () => {
    const app = new App({ context: { 'svc.mq.relay.enabled': 'true' } });

    expect(() => readConfig(app, 'dev')).toThrow('MQ_APP_CODE_REQUIRED');
  });

  it('must be an object', () => {
    expect(() => readConfig(new App({ context: { svc: 'broker' } }), 'dev')).toThrow(
      'svc: must be an object of properties',
    );
  });

  it('turns warnings into annotations', () => {
    const app = new App();

    readConfig(app, 'dev', { 'mq.transport': 'broker' });

    expect(JSON.stringify(app.node.metadata)).toContain('svc.mq.app-code: is not set');
  });

  it('warns that every token is refused where no issuer is configured', () => {
    const [silent, warned] = [new App(), new App()];
    const issuers = [{ issuer: 'https://id.example.com', audience: 'shop' }];

    readConfig(silent, 'dev', { 'security.issuers': issuers });
    readConfig(warned, 'dev');

    expect(JSON.stringify(silent.node.metadata)).not.toContain('SECURITY_NO_ISSUER');
    expect(JSON.stringify(warned.node.metadata)).toMatch(
      /svc-cloud:SECURITY_NO_ISSUER.*every token is refused with 401|every token is refused with 401.*SECURITY_NO_ISSUER/,
    );
  });
});
