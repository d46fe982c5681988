import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import type { App, Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { platformStack, standaloneApp } from '../synthesise.ts';

const ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/own/0a1b';
const withEdge = (
  waf: unknown,
  {
    region,
    stage = 'dev',
    ...config
  }: Record<string, unknown> & { region?: string; stage?: string } = {},
): App =>
  standaloneApp({
    stage,
    config: { 'security.waf': waf, ...config },
    ...(region && { env: { account: '123456789012', region } }),
  });
const templateOf = (app: App) => Template.fromStack(platformStack(app));
const inFirewallRegion = templateOf(withEdge(true, { region: 'us-east-1' }));

describe('svc.security.waf', () => {
  it('is off by default: no CloudFront, no web ACL, no secret', () => {
    const template = templateOf(standaloneApp({ stage: 'dev' }));

    for (const type of [
      'AWS::CloudFront::Distribution',
      'AWS::WAFv2::WebACL',
      'AWS::SecretsManager::Secret',
    ]) {
      template.resourceCountIs(type, 0);
    }
    expect(JSON.stringify(template)).not.toContain('SVC_EDGE_SECRET');
    expect(template.findOutputs('EdgeUrl')).toEqual({});
  });

  it('puts CloudFront with the web ACL before the API, which caches nothing and passes everything on', () => {
    const [acl] = Object.keys(inFirewallRegion.findResources('AWS::WAFv2::WebACL'));

    inFirewallRegion.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        WebACLId: { 'Fn::GetAtt': [acl, 'Arn'] },
        DefaultCacheBehavior: {
          AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
          // Managed policies: CachingDisabled, AllViewerExceptHostHeader.
          CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
          OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
          ViewerProtocolPolicy: 'https-only',
        },
        Origins: [
          Match.objectLike({
            CustomOriginConfig: Match.objectLike({ OriginProtocolPolicy: 'https-only' }),
            OriginCustomHeaders: [Match.objectLike({ HeaderName: 'x-svc-edge' })],
          }),
        ],
        CustomErrorResponses: Match.arrayWith(
          [403, 404, 500, 503].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
        ),
      },
    });
    expect(Object.keys(inFirewallRegion.findOutputs('EdgeUrl'))).toEqual(['EdgeUrl']);
  });

  it('blocks addresses that send too much, and what the managed groups know', () => {
    const [acl] = Object.values(inFirewallRegion.findResources('AWS::WAFv2::WebACL'));
    const rules = acl?.Properties.Rules as Record<string, never>[];

    expect(acl?.Properties).toMatchObject({ Scope: 'CLOUDFRONT', DefaultAction: { Allow: {} } });
    expect(rules.map(({ Name, Priority }) => [Priority, Name])).toEqual([
      [0, 'RateLimit'],
      [1, 'AWSManagedRulesAmazonIpReputationList'],
      [2, 'AWSManagedRulesCommonRuleSet'],
      [3, 'AWSManagedRulesKnownBadInputsRuleSet'],
    ]);
    expect(rules[0]).toMatchObject({
      Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
      Statement: { RateBasedStatement: { Limit: 2_000, AggregateKeyType: 'IP' } },
    });
    for (const rule of rules.slice(1)) expect(rule).toMatchObject({ OverrideAction: { None: {} } });
  });

  it('lets large bodies and bodies with markup pass', () => {
    expect(JSON.stringify(inFirewallRegion.findResources('AWS::WAFv2::WebACL'))).toContain(
      '{"ActionToUse":{"Count":{}},"Name":"SizeRestrictions_BODY"}',
    );
  });

  it('gives functions and CloudFront the same secret, so that they know each other', () => {
    const [distribution] = Object.values(
      inFirewallRegion.findResources('AWS::CloudFront::Distribution'),
    );
    const sent =
      distribution?.Properties.DistributionConfig.Origins[0].OriginCustomHeaders[0].HeaderValue;
    const functions = Object.values(inFirewallRegion.findResources('AWS::Lambda::Function'));

    expect(JSON.stringify(sent)).toMatch(/resolve:secretsmanager:.*EdgeSecret/);
    for (const { Properties } of functions) {
      expect(Properties.Environment.Variables.SVC_EDGE_SECRET).toEqual(sent);
    }
  });

  it('takes a web ACL of its own by its ARN, in any region', () => {
    const template = templateOf(withEdge(ACL, { region: 'eu-central-1' }));

    template.resourceCountIs('AWS::WAFv2::WebACL', 0);
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: { WebACLId: ACL },
    });
  });

  it.each([
    ['eu-central-1', 'the region of the stack is eu-central-1'],
    [undefined, 'the region of the stack is not known at synthesis'],
  ])('stops the synthesis where there can be no web ACL: %s', (region, reason) => {
    expect(() => withEdge(true, region ? { region } : {})).toThrow(
      new RegExp(`${reason}.*name the ARN of a web ACL there \\(WAF_REGION\\)`, 's'),
    );
  });

  it.each(['yes', 'arn:aws:wafv2:eu-central-1:123456789012:regional/webacl/a/b'])(
    'refuses %s',
    (waf) => {
      expect(() => withEdge(waf)).toThrow('must be true, false or the ARN of a web ACL');
    },
  );

  it('takes its rate from svc.security.waf-rate-limit', () => {
    const slow = templateOf(
      withEdge('true', { region: 'us-east-1', 'security.waf-rate-limit': 50 }),
    );

    expect(JSON.stringify(slow.findResources('AWS::WAFv2::WebACL'))).toContain('"Limit":50');
  });

  it('warns of links that lead past CloudFront', () => {
    const warnings = (publicUrl: string) =>
      Annotations.fromStack(
        platformStack(withEdge(ACL, { 'web.public-url': publicUrl })) as Stack,
      ).findWarning('*', Match.stringLikeRegexp('svc.web.public-url is empty'));

    expect(warnings('')).toHaveLength(1);
    expect(warnings('https://api.example.com')).toEqual([]);
  });

  it('stays out of the stage local, whose cloud has no CloudFront', () => {
    templateOf(withEdge(true, { stage: 'local' })).resourceCountIs(
      'AWS::CloudFront::Distribution',
      0,
    );
  });
});
