import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../../../../bin/dev/package.ts';
import { packageRoot } from '../../../../lib/bundling/bundle.ts';

const STACK = `
import { App, Stack } from 'aws-cdk-lib/core';
import { PlatformModules } from 'svc-cloud';

const app = new App({ outdir: 'out' });
const stack = new Stack(app, 'Shop');
new PlatformModules(stack, 'Platform', {
  hostEntry: import.meta.dirname + '/platform host.js',
  config: { mq: { 'app-code': 'shop' } },
});
app.synth();
`;

const HOST = `
import { defineHost } from 'svc-cloud/host';

export default defineHost({
  permissionEvaluator: { hasPermission: (principal) => principal.roles.includes('marker-of-the-shop') },
});
`;

describe('the npm package', () => {
  let app = '';

  beforeAll(() => {
    // Below the project, so that Node finds the installed dependencies.
    mkdirSync(join(packageRoot, '.local'), { recursive: true });
    app = mkdtempSync(join(packageRoot, '.local', 'package-test-'));
    buildPackage(join(app, 'node_modules', 'svc-cloud'));
    writeFileSync(join(app, 'package.json'), '{"type":"module"}');
    writeFileSync(join(app, 'stack.js'), STACK);
    writeFileSync(join(app, 'platform host.js'), HOST);
    execFileSync(process.execPath, ['stack.js'], { cwd: app, stdio: 'pipe' });
  }, 120_000);

  afterAll(() => rmSync(app, { recursive: true, force: true }));

  it('synthesises in an application of its own', () => {
    const template = JSON.parse(readFileSync(join(app, 'out', 'Shop.template.json'), 'utf8'));

    const types = Object.values(template.Resources as Record<string, { Type: string }>).map(
      ({ Type }) => Type,
    );

    expect(types).toEqual(
      expect.arrayContaining([
        'AWS::DynamoDB::Table',
        'AWS::Lambda::Function',
        'AWS::ApiGatewayV2::Api',
      ]),
    );
  });

  it("bundles the functions with that application's host", () => {
    const bundles = execFileSync('grep', ['-rl', 'marker-of-the-shop', join(app, 'out')], {
      encoding: 'utf8',
    });

    expect(bundles).toMatch(/index\.mjs/);
  });
});
