import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { addSecurityChecks } from '../../../../lib/configuration/checks.ts';
import { objects, secrets } from '../../../../shared/module/grants.ts';
import { aModule, stackOf, standaloneApp } from '../synthesise.ts';

interface Finding {
  readonly rule: string;
  readonly where: readonly string[];
}

/** Synthesises and reads the report that the CDK leaves in the assembly. */
function findingsOf(app: App): Finding[] {
  try {
    app.synth();
  } catch (error) {
    if (!existsSync(join(app.outdir, 'validation-report.json'))) throw error;
  }
  const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'));
  return report.pluginReports.flatMap(({ violations }: { violations: Record<string, unknown>[] }) =>
    violations.map(({ ruleName, violatingConstructs }) => ({
      rule: ruleName,
      where: (violatingConstructs as { constructPath: string }[]).map(
        ({ constructPath }) => constructPath,
      ),
    })),
  );
}

const withIssuer = {
  'security.issuers': [{ issuer: 'https://login.example', audience: 'svc-cloud' }],
};

describe.each(['dev', 'prod'])('the stack of the stage %s', (stage) => {
  it('has no finding of cdk-nag and no warning of the CDK', () => {
    const app = standaloneApp({
      stage,
      validateTemplates: true,
      config: { ...withIssuer, 'web.cors-origins': ['https://app.example'] },
    });
    addSecurityChecks(app);

    expect(findingsOf(app)).toEqual([]);
  });
});

describe('the stack behind CloudFront, with an authorizer at the gateway', () => {
  it('has no finding of cdk-nag and no warning of the CDK', () => {
    const issuer = {
      issuer: 'https://login.example',
      audience: 'svc-cloud',
      algorithms: ['RS256'],
    };
    const app = standaloneApp({
      stage: 'prod',
      env: { account: '123456789012', region: 'us-east-1' },
      validateTemplates: true,
      config: {
        'security.issuers': [issuer],
        'security.gateway-authorizer': true,
        'security.waf': true,
        'web.public-url': 'https://api.example.com',
      },
    });
    addSecurityChecks(app);

    expect(findingsOf(app)).toEqual([]);
  });
});

describe('a module that reads and writes objects and secrets', () => {
  it('has no finding of cdk-nag either', () => {
    const module = aModule({
      grants: () => [objects(['orders/'], ['PutObject'], 'Bodies.'), secrets(['shop/'], 'Keys.')],
    });
    const stack = stackOf([module], { config: withIssuer });
    const app = stack.node.root as App;
    addSecurityChecks(app);

    expect(findingsOf(app)).toEqual([]);
  });
});

describe('the security checks', () => {
  it('find what is wrong', () => {
    const app = standaloneApp({ stage: 'local' });
    addSecurityChecks(app);

    expect(findingsOf(app).map(({ rule }) => rule)).toContain('AwsSolutions-S10');
  });

  it('are set aside with a reason only', () => {
    const key = Validations.ACKNOWLEDGED_RULES_METADATA_KEY;

    const reasons = standaloneApp({ stage: 'prod' })
      .node.findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === key))
      .flatMap(({ data }) => Object.values(data as Record<string, string>));

    expect(reasons).not.toEqual([]);
    for (const reason of reasons) expect(reason).toMatch(/^.{30,}\.$/);
  });
});
