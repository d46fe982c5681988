import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Annotations, Duration, Stack, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { EDGE_HEADER } from '../../shared/http/edge.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import { problem } from '../configuration/configuration.ts';
import type { SvcConfig } from '../modules.ts';
import type { Api } from './api.ts';
import type { Encryption } from './encryption.ts';
import { FirewallRules } from './firewall-rules.ts';

export interface EdgeProps {
  readonly config: SvcConfig;
  readonly encryption: Encryption;
}

const FIREWALL_REGION = 'us-east-1';
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** CloudFront with a web ACL before the HTTP API, which cannot have one itself. */
export class Edge extends Construct {
  readonly #secret: Secret;
  readonly #firewallArn: string;
  #distribution: Distribution | undefined;

  /** @throws ConfigError `WAF_REGION` when the stack cannot hold the web ACL that it is asked for. */
  constructor(scope: Construct, id: string, { config, encryption }: EdgeProps) {
    super(scope, id);
    const { waf, wafRateLimit } = config.security;
    this.#firewallArn = typeof waf === 'string' ? waf : this.#addFirewall(wafRateLimit);
    this.#secret = new Secret(this, 'Secret', {
      description: 'Header by which the functions know requests that came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      ...(encryption.key && { encryptionKey: encryption.key }),
    });
    acknowledge(this.#secret, {
      'AwsSolutions::AwsSolutions-SMG4':
        'CloudFront and the functions take it over together, with a deployment; it opens nothing but the way past the web ACL.',
    });
    if (config.web.publicUrl !== '') return;
    Annotations.of(this).addWarningV2(
      'svc-cloud:WAF_PUBLIC_URL',
      'svc.web.public-url is empty: links of the API lead to the gateway, which refuses what does not come through CloudFront; set it to the output EdgeUrl or your own name',
    );
  }

  /** The value that functions ask of each request. */
  get secret(): string {
    return this.#secret.secretValue.unsafeUnwrap();
  }

  get url(): string {
    return `https://${this.distribution.domainName}`;
  }

  get distribution(): Distribution {
    if (!this.#distribution) throw new Error('The distribution is not there yet');
    return this.#distribution;
  }

  /** Puts the distribution before the gateway. */
  standBefore({ httpApi }: Api): void {
    const { region, urlSuffix } = Stack.of(this);
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'HTTP API of svc-cloud',
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: this.#firewallArn,
      defaultBehavior: {
        origin: new HttpOrigin(`${httpApi.apiId}.execute-api.${region}.${urlSuffix}`, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          customHeaders: { [EDGE_HEADER]: this.secret },
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      },
      // Left out, CloudFront gives the same error to everyone for 10 seconds.
      errorResponses: ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    acknowledge(distribution, {
      'AwsSolutions::AwsSolutions-CFR1': 'The API serves every country.',
      'AwsSolutions::AwsSolutions-CFR3': 'The gateway logs every request that passes the web ACL.',
      'AwsSolutions::AwsSolutions-CFR4':
        'The least version of TLS is that of the certificate of cloudfront.net; an application with its own name sets both.',
    });
    this.#distribution = distribution;
  }

  #addFirewall(rateLimit: number): string {
    const { region } = Stack.of(this);
    if (region !== FIREWALL_REGION) {
      throw problem(
        'WAF_REGION',
        'svc.security.waf',
        `web ACLs for CloudFront exist in ${FIREWALL_REGION} only, and the region of the stack is ${Token.isUnresolved(region) ? 'not known at synthesis' : region}; deploy to ${FIREWALL_REGION} (env), or name the ARN of a web ACL there`,
      );
    }
    return new FirewallRules(this, 'Firewall', rateLimit).arn;
  }
}
