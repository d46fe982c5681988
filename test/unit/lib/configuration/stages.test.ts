import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnResource } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { isUnknownType } from '../../../../lib/configuration/local-cloud.ts';
import {
  plain,
  platformStack,
  standaloneApp,
  standaloneTemplate,
  temporaryFolder,
} from '../synthesise.ts';

const publicKey = { kty: 'EC', crv: 'P-256', x: 'public-x', y: 'public-y', kid: 'local' };

/** The file that the local tools write: also holds the private key, which belongs in no template. */
function issuerFile(): string {
  const file = join(temporaryFolder(), 'dev-issuer.json');
  writeFileSync(
    file,
    JSON.stringify({
      issuer: 'http://127.0.0.1/dev-issuer',
      audience: 'svc-cloud',
      jwks: { keys: [publicKey] },
      privateJwk: { ...publicKey, d: 'private-d' },
    }),
  );
  return file;
}

function functionConfig(template: Template): Record<string, unknown> {
  const [first] = Object.values(template.findResources('AWS::Lambda::Function'));
  return JSON.parse(first?.Properties.Environment.Variables.SVC_CONFIG);
}

describe('the stage local', () => {
  it('trusts the tokens that the local tools sign, and never learns the private key', () => {
    const template = standaloneTemplate({ stage: 'local', localIssuerFile: issuerFile() });

    expect(functionConfig(template)).toMatchObject({
      security: {
        dev: true,
        issuers: [{ issuer: 'http://127.0.0.1/dev-issuer', jwks: { keys: [publicKey] } }],
      },
    });
    expect(JSON.stringify(plain(template))).not.toContain('private-d');
  });

  it('keeps the issuers that are configured', () => {
    const template = standaloneTemplate({
      stage: 'local',
      localIssuerFile: issuerFile(),
      context: {
        'svc.security.issuers': [
          { issuer: 'http://127.0.0.1:8080/realm', audience: 'app', jwksUri: 'http://127.0.0.1/k' },
        ],
      },
    });

    expect(functionConfig(template)).toMatchObject({
      security: {
        issuers: [
          { issuer: 'http://127.0.0.1:8080/realm' },
          { issuer: 'http://127.0.0.1/dev-issuer' },
        ],
      },
    });
  });

  it('works without local tokens', () => {
    expect(functionConfig(standaloneTemplate({ stage: 'local' }))).not.toHaveProperty('security');
  });

  it('asks for no TLS, which the local cloud does not speak', () => {
    expect(JSON.stringify(plain(standaloneTemplate({ stage: 'local' })))).not.toContain(
      'aws:SecureTransport',
    );
  });

  it.each(['local', 'dev'])('leaves out what the local cloud does not know: %s', (stage) => {
    const stack = platformStack(standaloneApp({ stage }));
    new CfnResource(stack.platform, 'Archive', { type: 'AWS::Events::Archive' });
    new CfnResource(stack.platform, 'Group', { type: 'AWS::XRay::Group' });

    const types = Object.values(plain(Template.fromStack(stack)).Resources).map(({ Type }) => Type);

    expect(types.filter(isUnknownType)).toHaveLength(stage === 'local' ? 0 : 2);
  });
});

describe.each(['dev', 'prod'])('the template of the stage %s', (stage) => {
  it('holds no local issuer, key, address or demo data', () => {
    const template = standaloneTemplate({ stage, localIssuerFile: issuerFile() });
    const text = JSON.stringify(plain(template));

    for (const trace of ['dev-issuer', 'public-x', 'jwks', '127.0.0.1', 'localhost', 'demo']) {
      expect(text, trace).not.toContain(trace);
    }
  });

  it('does not accept inline keys', () => {
    expect(() => standaloneTemplate({ stage, config: { 'security.dev': true } })).toThrow(
      'SECURITY_DEV_NOT_LOCAL',
    );
  });
});

describe('the stack', () => {
  it('is named after its stage and protected in production', () => {
    const prod = platformStack(standaloneApp({ stage: 'prod' }));
    const dev = platformStack(standaloneApp({ stage: 'dev' }));

    expect([prod.stackName, prod.terminationProtection]).toEqual(['svc-cloud-prod', true]);
    expect([dev.stackName, dev.terminationProtection]).toEqual(['svc-cloud-dev', false]);
  });

  it('tells tools where everything is', () => {
    expect(Object.keys(standaloneTemplate({ stage: 'dev' }).findOutputs('*'))).toEqual([
      'ApiId',
      'ApiUrl',
      'TableName',
      'BucketName',
      'EventBusName',
      'SettingsFunctionName',
      'EntitiesFunctionName',
      'WorkflowFunctionName',
      'MessagingFunctionName',
      'MessagingRelayFunctionName',
      'TemplatesFunctionName',
      'TemplatesPdfLibreofficeFunctionName',
      'AlarmTopicArn',
    ]);
  });
});
