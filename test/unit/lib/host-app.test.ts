import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { App } from 'aws-cdk-lib/core';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { describe, expect, it } from 'vitest';
import { ShopStack } from '../../../examples/host-app/app.ts';
import { temporaryFolder } from './synthesise.ts';

describe('an application that uses the construct in a stack of its own', () => {
  const appWith = (context: object = {}) =>
    new App({
      outdir: temporaryFolder(),
      context: { stage: 'test', 'svc.web.rate-limit': 7, ...context },
      builtinCloudFormationValidation: false,
    });
  const codeOf = ({ outdir }: App): string => {
    const [code] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
    return readFileSync(join(outdir, String(code), 'index.mjs'), 'utf8');
  };
  const app = appWith();
  const stack = new ShopStack(app, 'Shop');
  const template = Template.fromStack(stack);

  it('gets the platform beside its own resources', () => {
    template.resourceCountIs('AWS::Lambda::Function', 3);
    template.resourceCountIs('AWS::DynamoDB::Table', 1);
    template.resourceCountIs('AWS::SNS::Topic', 1);
  });

  it('has the alarms sent to its own topic', () => {
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: Match.stringLikeRegexp('^OnCall') }],
    });
  });

  it('is configured by its own properties and by the context', () => {
    const [settings] = Object.values(template.findResources('AWS::Lambda::Function'));
    const variables = settings?.Properties.Environment.Variables;

    expect(variables.SVC_STAGE).toBe('test');
    expect(JSON.parse(variables.SVC_CONFIG)).toMatchObject({
      mq: { transport: 'broker', 'app-code': 'shop' },
      web: { 'rate-limit': 7 },
    });
  });

  it('has its own host in the functions', () => {
    expect(codeOf(app)).toContain('operations');
  });

  it('is not bundled for a command that needs no code, such as cdk bootstrap', () => {
    const bare = appWith({ [BUNDLING_STACKS]: [] });

    const shown = Template.fromStack(new ShopStack(bare, 'Shop'));

    expect(codeOf(bare)).toBe('');
    expect(Object.keys(shown.toJSON().Resources)).toEqual(Object.keys(template.toJSON().Resources));
  });
});
