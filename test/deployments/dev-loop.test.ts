import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localClientConfig } from '../../bin/dev/local-cloud/aws-client.ts';
import { freePort } from '../../bin/dev/local-cloud/free-port.ts';
import { cloudHealth } from '../../bin/dev/local-cloud/health.ts';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import { isAlive } from '../../bin/dev/local-cloud/lock.ts';
import { startLocalCloud, stopLocalCloud } from '../../bin/dev/local-cloud/start.ts';
import { cloudPaths } from '../../bin/dev/paths.ts';
import { readmeListener } from '../helpers/api/document-snippet.ts';
import { ProjectCopy, type StartProcess } from '../helpers/cloud/cloud-start-process.ts';

const errorsFile = ['functions', 'settings', 'errors.ts'];

describe('npm start', { timeout: 300_000 }, () => {
  let project: ProjectCopy;
  let platform: StartProcess;
  let token: string;

  beforeAll(async () => {
    await ensurePythonTool(localCloudTool);
    project = new ProjectCopy();
    platform = await project.start();
    token = project.token();
  });

  afterAll(async () => {
    await project.remove();
  });

  /** Title of the problem that a setting without existence answers with: a text of the source. */
  async function title(): Promise<string> {
    const answer = await call('/api/v1/setting/no.such.setting');
    return ((await answer.json()) as { title: string }).title;
  }

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    return await fetch(project.outputs().baseUrl + path, { ...init, headers });
  }

  function paste(): unknown {
    const curl = /^curl .*$/m.exec(platform.output)?.[0] ?? 'false';
    return JSON.parse(execFileSync('bash', ['-c', curl], { encoding: 'utf8' }));
  }

  function changeFile(path: readonly string[], from: string | RegExp, to: string): void {
    const before = project.read(...path);
    const after = before.replace(from, to);
    expect(after).not.toBe(before);
    writeFileSync(project.path(...path), after);
  }

  /** The properties that the function of the settings has. */
  async function configuration(): Promise<string> {
    const { endpoint, functions } = project.outputs();
    const lambda = new LambdaClient(localClientConfig(endpoint));
    const { Environment } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functions.settings }),
    );
    lambda.destroy();
    return Environment?.Variables?.SVC_CONFIG ?? '';
  }

  async function save(name: string, value: string): Promise<number> {
    const body = JSON.stringify({ name, value, desc: 'dev loop' });
    return (await call('/api/v1/setting/save', { method: 'POST', body })).status;
  }

  it('prints a curl line that works when it is pasted', () => {
    expect(platform.output).toContain('Ready in');
    expect(paste()).toMatchObject({ name: 'demo.greeting', value: 'Hello from the local cloud' });
  });

  it('leaves its outputs while it is up', () => {
    expect(project.outputs()).toMatchObject({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      region: 'us-east-1',
      stage: 'local',
      stackName: 'svc-cloud-local',
      tableName: expect.any(String),
      bucketName: expect.any(String),
      eventBusName: expect.any(String),
      apiId: expect.any(String),
      functions: { settings: expect.any(String) },
    });
  });

  it('leaves the names of `cdk bootstrap` to it', async () => {
    const { endpoint } = project.outputs();
    const s3 = new S3Client({ ...localClientConfig(endpoint), forcePathStyle: true });

    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));

    expect(Buckets).not.toHaveLength(0);
    expect(Buckets.map(({ Name = '' }) => Name).join()).not.toContain('cdk-hnb659fds');
    s3.destroy();
  });

  it('prints a bare token and nothing else', () => {
    expect(project.token('--tenant', 't1')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('shows each call in its log', async () => {
    const from = platform.output.length;

    await title();

    await platform.waitFor(/settings +GET .*404/, from);
  });

  it('refuses to start a second time', async () => {
    const second = await project.start();

    expect(second.output).toContain('The platform is running already');
    expect(await second.exitCode()).toBe(1);
  });

  it('puts changed code in place at once', async () => {
    changeFile(errorsFile, "title: 'Setting not found'", "title: 'Changed once'");

    await expect.poll(title, { timeout: 120_000 }).toBe('Changed once');
  });

  it('fails no call while code is replaced', async () => {
    const from = platform.output.length;
    const statuses = new Set<number>();
    changeFile(errorsFile, "title: 'Setting already exists'", "title: 'Changed twice'");

    while (!/live after/.test(platform.output.slice(from))) {
      const answers = await Promise.all([1, 2, 3].map(() => call('/api/v1/setting/no.such')));
      for (const { status } of answers) statuses.add(status);
    }

    expect([...statuses]).toEqual([404]);
  });

  it('keeps the running version when the code does not compile, and says why', async () => {
    const from = platform.output.length;
    const good = project.read(...errorsFile);

    writeFileSync(project.path(...errorsFile), `${good}\nexport const broken = ;\n`);
    await platform.waitFor(/do not compile[\s\S]*What to do/, from);

    expect(platform.output.slice(from)).toContain('functions/settings/errors.ts:');
    expect(await title()).toBe('Changed once');
    writeFileSync(project.path(...errorsFile), good);
  });

  it('keeps the running version when the configuration is wrong, and says why', async () => {
    const from = platform.output.length;
    const good = project.read('cdk.json');

    writeFileSync(project.path('cdk.json'), good.replace('"transport"', '"transprot"'));
    await platform.waitFor(/could not be synthesised[\s\S]*What to do/, from);

    expect(platform.output.slice(from)).toContain('svc.mq.transprot');
    expect(await title()).toBe('Changed once');
    writeFileSync(project.path('cdk.json'), good);
  });

  it('keeps the running version when the stack cannot be updated, and says why', async () => {
    const from = platform.output.length;
    const good = project.read('lib', 'platform-stack.ts');

    const line = "new CfnOutput(this, 'Nothing', { value: Fn.importValue('no-such-export') });";
    writeFileSync(
      project.path('lib', 'platform-stack.ts'),
      good
        .replace('{ CfnOutput,', '{ CfnOutput, Fn,')
        .replace(/(new PlatformModules\(.*\n)/, `$1    ${line}\n`),
    );
    await platform.waitFor(/not applied[\s\S]*What to do/, from);

    expect(platform.output.slice(from)).toContain('no-such-export');
    expect(await title()).toBe('Changed once');
    writeFileSync(project.path('lib', 'platform-stack.ts'), good);
  });

  it('updates the stack when the configuration changes', async () => {
    const from = platform.output.length;

    changeFile(['cdk.json'], '"fixed-rate": "1m"', '"fixed-rate": "3m"');
    await platform.waitFor(/✔ stack.*cdk\.json/, from);

    expect(await title()).toBe('Changed once');
  });

  it('gives the listener that the README shows a queue once the host is saved', async () => {
    const from = platform.output.length;
    const good = project.read('bin', 'host.ts');

    writeFileSync(project.path('bin', 'host.ts'), readmeListener());
    await platform.waitFor(/✔ stack.*bin\/host\.ts: updated/, from);
    expect(await save('dev-loop.heard', 'yes')).toBe(201);
    // A call that ends with the code that it runs is repeated after six times the time of the function.
    await platform.waitFor(/messaging +message .*group=my-app/, from, 240);

    expect(platform.output.slice(from)).toMatch(/topic=iam-config-refresh group=my-app/);
    const restoredFrom = platform.output.length;
    writeFileSync(project.path('bin', 'host.ts'), good);
    await platform.waitFor(/✔ stack.*bin\/host\.ts/, restoredFrom);
  });

  it('follows a host that was replaced, and names a type error in it while it runs', async () => {
    const from = platform.output.length;
    const good = project.read('bin', 'host.ts');
    const replaceHost = (text: string) => {
      writeFileSync(project.path('elsewhere'), text);
      renameSync(project.path('elsewhere'), project.path('bin', 'host.ts'));
    };

    replaceHost(`${good}\nexport const limit: number = 'none';\n`);
    await platform.waitFor(/bin\/host\.ts:\d+:\d+: Type 'string' is not assignable/, from);
    expect(await title()).toBe('Changed once');
    replaceHost(good);
    await platform.waitFor(/types: right again/, from);

    expect(platform.output.slice(from)).toMatch(/bin\/host\.ts: (updated|unchanged)/);
  });

  it('stops at Ctrl-C, cleanly, and keeps the data', async () => {
    expect(await save('dev-loop.kept', 'yes')).toBe(201);
    const cloud = project.outputs().endpoint;

    await platform.interrupt();

    expect(platform.output).toContain('the data is kept');
    expect(existsSync(project.path('.local', 'outputs.json'))).toBe(false);
    expect(await cloudHealth(cloud)).toBeUndefined();
    platform = await project.start(['-c', 'svc.mq.transport=spring']);
    expect(await (await call('/api/v1/setting/dev-loop.kept')).json()).toMatchObject({
      value: 'yes',
    });
    expect(platform.output).toContain('there already');
    expect(await title()).toBe('Changed once');
  });

  it('overrides a property for a run', async () => {
    // The default of the specification: nothing has to be passed on.
    expect(await configuration()).not.toContain('"transport"');
    expect(paste()).toMatchObject({ name: 'demo.greeting' });
  });

  it('goes on after a kill -9 of the command alone: nothing is lost', async () => {
    expect(await save('dev-loop.survived', 'yes')).toBe(201);

    await platform.kill();
    platform = await project.start();

    expect(platform.output).toContain('nothing is lost');
    expect(await configuration()).toContain('"transport":"broker"');
    expect((await call('/api/v1/setting/dev-loop.survived')).status).toBe(200);
  });

  it('says what was lost after a kill -9 of everything, and works again', async () => {
    expect(await save('dev-loop.unsaved', 'yes')).toBe(201);
    const pid = project.cloudPid();

    await platform.kill();
    process.kill(pid, 'SIGKILL');
    while (isAlive(pid)) await sleep(20);
    platform = await project.start();

    expect(platform.output).toMatch(/was killed\. Lost: everything written since/);
    expect((await call('/api/v1/setting/dev-loop.kept')).status).toBe(200);
    expect((await call('/api/v1/setting/dev-loop.unsaved')).status).toBe(404);
    expect(paste()).toMatchObject({ name: 'demo.greeting' });
  });

  it('says what was lost when saved data cannot be read, and deploys anew', async () => {
    await platform.interrupt();
    const state = project.path('.local', 'cloud', 'state');
    expect(readdirSync(state)).toContain('dynamodb.json');
    writeFileSync(`${state}/dynamodb.json`, '{"payload": ');

    platform = await project.start();

    expect(platform.output).toContain('the saved data of dynamodb could not be read');
    expect(platform.output).toContain('1 DynamoDB Table');
    expect(paste()).toMatchObject({ name: 'demo.greeting' });
  });

  it('names a port that is in use', async () => {
    const { port } = new URL(project.outputs().baseUrl);
    await platform.interrupt();
    const server = createServer().listen(Number(port), '127.0.0.1');

    const refused = await project.start([], { PORT: port });

    server.close();
    expect(refused.output).toContain(`Port ${port} (PORT) is in use.`);
    expect(refused.output).toContain('What to do:');
    expect(await refused.exitCode()).toBe(1);
  });

  it('uses a healthy cloud that it is given, and leaves it running', async () => {
    const paths = cloudPaths(project.path('.local', 'foreign'));
    const foreign = await startLocalCloud({
      python: await ensurePythonTool(localCloudTool),
      paths,
      port: await freePort(38_000 + Math.floor(Math.random() * 1000)),
    });

    platform = await project.start([], { AWS_ENDPOINT_URL: foreign.endpoint });

    expect(project.outputs().endpoint).toBe(foreign.endpoint);
    expect(paste()).toMatchObject({ name: 'demo.greeting' });
    await platform.interrupt();
    expect(await cloudHealth(foreign.endpoint)).toBeDefined();
    await stopLocalCloud(foreign, paths);
  });
});
