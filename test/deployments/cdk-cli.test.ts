import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StackDeployer } from '../../bin/dev/deploy/update-stack.ts';
import { ensureDevIssuer } from '../../bin/dev/dev-issuer.ts';
import { freePort } from '../../bin/dev/local-cloud/free-port.ts';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import {
  type RunningCloud,
  startLocalCloud,
  stopLocalCloud,
} from '../../bin/dev/local-cloud/start.ts';
import { cloudPaths, projectRoot } from '../../bin/dev/paths.ts';
import { documentedCode } from '../helpers/package/documented-code.ts';
import { installPackage } from '../helpers/package/install-package.ts';

const run = promisify(execFile);

const guide = readFileSync(join(projectRoot, 'docs/own-application.md'), 'utf8');

/** The blocks of the guide in a language, from a heading on. */
function blocks(language: string, heading = ''): string[] {
  const pattern = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...guide.slice(guide.indexOf(heading)).matchAll(pattern)].map(([, block = '']) => block);
}

describe('the CDK CLI on a local cloud', { timeout: 400_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-cdk-'));
  const paths = cloudPaths(join(folder, 'cloud'));
  let cloud: RunningCloud;

  beforeAll(async () => {
    await ensureDevIssuer();
    const python = await ensurePythonTool(localCloudTool);
    const port = await freePort(36_000 + Math.floor(Math.random() * 2000));
    cloud = await startLocalCloud({ python, paths, port });
  });

  afterAll(async () => {
    await stopLocalCloud(cloud, paths);
    rmSync(folder, { recursive: true, force: true });
  });

  async function cdk(args: readonly string[], cwd: string): Promise<string> {
    const { stdout, stderr } = await run(join(projectRoot, 'node_modules', '.bin', 'cdk'), args, {
      cwd,
      env: {
        ...process.env,
        AWS_ENDPOINT_URL: cloud.endpoint,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_REGION: 'us-east-1',
      },
    });
    return stdout + stderr;
  }

  /** Writes the files of the guide into an empty folder. */
  async function anApplication(): Promise<string> {
    const [manifest = '', cdkJson = ''] = blocks('json');
    const app = join(folder, 'shop');
    mkdirSync(app);
    // In place of `npm install`, which needs a network.
    await installPackage(app);
    writeFileSync(join(app, 'package.json'), manifest);
    writeFileSync(join(app, 'cdk.json'), cdkJson);
    for (const { file, code } of documentedCode('docs/own-application.md')) {
      writeFileSync(join(app, file), code);
    }
    return app;
  }

  it('bootstraps, deploys a platform that answers, and destroys it, as docs/own-application.md says', async () => {
    const app = await anApplication();
    const stacks = new StackDeployer(cloud.endpoint);
    const [, , answer = ''] = blocks('json');
    const [, settings = ''] = blocks('sh', '## 2.');
    const commands = [settings, ...blocks('sh', '## 3.')]
      .join('\n')
      .replaceAll('http://127.0.0.1:4566', cloud.endpoint);

    const { stdout } = await run('bash', ['-euc', commands], { cwd: app });

    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(JSON.parse(answer));
    const api = (await stacks.read('Shop'))?.outputs.ApiUrl;
    expect((await fetch(`${api}/api/v1/health`)).status).toBe(200);
    expect((await fetch(`${api}/api/v1/setting/a`)).status).toBe(401);

    // What was deployed can be destroyed without making it anew.
    await cdk(['destroy', '--all', '--force', '--app', 'cdk.out'], app);
    expect(await stacks.read('Shop')).toBeUndefined();
    stacks.close();
  });

  it('names the versions in docs/own-application.md that this package is tested with', () => {
    const { version, devDependencies } = JSON.parse(
      readFileSync(join(projectRoot, 'package.json'), 'utf8'),
    );
    const { dependencies, devDependencies: tools } = JSON.parse(blocks('json')[0] ?? '');

    expect({ ...dependencies, ...tools }).toEqual({
      'aws-cdk': devDependencies['aws-cdk'],
      'aws-cdk-lib': devDependencies['aws-cdk-lib'],
      constructs: devDependencies.constructs,
      'svc-cloud': `file:svc-cloud-${version}.tgz`,
    });
  });
});
