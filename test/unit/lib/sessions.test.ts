import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { platformStack, standaloneApp } from './synthesise.ts';

const stackWith = (config: Record<string, unknown>) =>
  platformStack(standaloneApp({ stage: 'dev', config: { 'idp.enabled': true, ...config } }));
const template = Template.fromStack(stackWith({}));
const SECRET = { Description: 'What the keys of logins are derived from' };

describe('a platform with logins', () => {
  it('tells every function where their keys are, and lets it see whose tokens have ended', () => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
      ({ Properties: { Environment } }) => (Environment ? [Environment.Variables] : []),
    );
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));

    expect(functions.length).toBeGreaterThan(5);
    for (const { SVC_SESSION_KEYS } of functions) {
      expect(JSON.stringify(SVC_SESSION_KEYS)).toContain('/api/v1/identity_provider/jwks');
    }
    expect(policies).toContain('SESSION#revoked');
  });

  it('leaves it to the functions of a local cloud to know its address', () => {
    const app = standaloneApp({ stage: 'local', config: { 'idp.enabled': true } });
    const found = Template.fromStack(platformStack(app)).findResources('AWS::Lambda::Function');
    const [variables] = Object.values(found).flatMap(({ Properties: { Environment } }) =>
      Environment ? [Environment.Variables] : [],
    );

    expect(JSON.stringify(variables.SVC_SESSION_KEYS)).toContain('["/_aws/execute-api/",');
  });

  it('generates the secret of their keys, unless one is named, and only its module reads it', () => {
    template.hasResourceProperties('AWS::SecretsManager::Secret', SECRET);
    const [id = ''] = Object.keys(
      template.findResources('AWS::SecretsManager::Secret', { Properties: SECRET }),
    );
    const readers = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([, each]) =>
      JSON.stringify(each).includes(`"Fn::GetAtt":["${id}","Id"]`),
    );
    const named = Template.fromStack(stackWith({ 'idp.session-secret': 'svc-cloud/logins' }));

    expect(readers).toHaveLength(1);
    expect(readers[0]?.[0]).toContain('identity');
    named.resourceCountIs('AWS::SecretsManager::Secret', 0);
  });

  it('says that the gateway would refuse their tokens', () => {
    const issuer = { issuer: 'https://login.example.com', audience: 'svc', algorithms: ['RS256'] };
    const stack = stackWith({
      ...{ 'security.gateway-authorizer': true, 'security.issuers': [issuer] },
    });

    Annotations.fromStack(stack).hasWarning(
      '*',
      Match.stringLikeRegexp('the gateway refuses the tokens of logins'),
    );
  });
});
