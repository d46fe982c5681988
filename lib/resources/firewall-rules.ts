import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/** A group of rules that AWS keeps, and those of it that only count. */
interface ManagedGroup {
  readonly name: string;
  readonly counted?: readonly string[];
}

/**
 * Records, templates and pages hold markup, addresses and long texts: rules that look for these in bodies would refuse
 * proper requests. The platform limits and checks bodies itself.
 */
const MANAGED_GROUPS: readonly ManagedGroup[] = [
  { name: 'AWSManagedRulesAmazonIpReputationList' },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    counted: [
      'SizeRestrictions_BODY',
      'CrossSiteScripting_BODY',
      'GenericRFI_BODY',
      'GenericLFI_BODY',
      'EC2MetaDataSSRF_BODY',
    ],
  },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet' },
];

/** A web ACL of CloudFront: a limit for each address, and managed groups. */
export class FirewallRules extends Construct {
  readonly arn: string;

  /** @param rateLimit requests of one address in 5 minutes. */
  constructor(scope: Construct, id: string, rateLimit: number) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visible('WebAcl'),
      rules: [
        {
          name: 'RateLimit',
          priority: 0,
          action: { block: { customResponse: { responseCode: 429 } } },
          statement: { rateBasedStatement: { limit: rateLimit, aggregateKeyType: 'IP' } },
          visibilityConfig: visible('RateLimit'),
        },
        ...MANAGED_GROUPS.map(({ name, counted = [] }, index) => ({
          name,
          priority: index + 1,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name,
              ruleActionOverrides: counted.map((rule) => ({
                name: rule,
                actionToUse: { count: {} },
              })),
            },
          },
          visibilityConfig: visible(name),
        })),
      ],
    });
    this.arn = acl.attrArn;
  }
}

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: true,
});
