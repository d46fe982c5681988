import { execFile } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../../bin/dev/paths.ts';
import type { EventDescription } from '../../../../shared/messaging/wire/event-description.ts';
import {
  type MemoryDynamoDb,
  memoryDynamoDb,
} from '../../../helpers/memory-dynamodb/memory-dynamodb.ts';
import { type AwsEndpoint, serveAws } from '../../../helpers/package/aws-endpoint.ts';
import { asApplication, documentedCode } from '../../../helpers/package/documented-code.ts';
import { installPackage } from '../../../helpers/package/install-package.ts';
import { compiledOnce } from '../../../helpers/world/run-folder.ts';

const run = promisify(execFile);

const DOCUMENTS = [
  'README.md',
  'docs/merge-fields.md',
  'docs/messaging.md',
  'docs/entities.md',
  'docs/workflow.md',
  'docs/adding-a-module.md',
  'docs/own-application.md',
  'docs/requests-and-answers.md',
];

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2025'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ['*.ts', 'notes-module/*.ts'],
};

/** Runs the listeners of a host, as a function of the platform does, on a message. */
const DELIVER = `
import { createHandler } from 'svc-cloud/function';
import { createSettingsServices } from 'svc-cloud/settings';

export async function deliver(host, topic, payload) {
  const handler = createHandler((context) => ({
    routes: [],
    settings: createSettingsServices(context).settingService,
    tasks: { publish: () => context.events.publish(topic, null, payload) },
  }), host);
  await handler({ task: 'publish' }, {});
}
`;

/** A file for each module that imports the type of every payload that the reference names, except internal ones. */
async function payloadTypes(): Promise<[file: string, code: string][]> {
  const files = globSync('functions/*/events.ts', { cwd: projectRoot }).sort();
  return Promise.all(
    files.map(async (file): Promise<[file: string, code: string]> => {
      const { events } = (await import(join(projectRoot, file))) as {
        events: readonly EventDescription[];
      };
      const types = events
        .filter(({ meaning }) => !meaning.includes('(internal)'))
        .flatMap(({ payload }) => payload.split(' & '));
      const names = [...new Set(types)].join(', ');
      const [, module] = file.split('/');
      return [
        `payloads-${module}.ts`,
        `import type { ${names} } from 'svc-cloud/${module}';\nexport type Payloads = [${names}];\n`,
      ];
    }),
  );
}

describe('the npm package, in an application that does what the documents show', () => {
  const app = mkdtempSync(join(tmpdir(), 'svc-cloud application-'));
  const documented = DOCUMENTS.flatMap((document) => documentedCode(document));
  let db: MemoryDynamoDb;
  let aws: AwsEndpoint;

  beforeAll(async () => {
    await installPackage(app);
    const manifest = { type: 'module', imports: { '#host': './platform-host.ts' } };
    writeFileSync(join(app, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    writeFileSync(join(app, 'deliver.js'), DELIVER);
    for (const { file, code } of documented) writeFileSync(join(app, file), code);
    for (const [file, code] of await payloadTypes()) writeFileSync(join(app, file), code);
    copyNotesModule();
    db = memoryDynamoDb();
    aws = await serveAws(db);
  });

  afterAll(() => {
    aws.close();
    rmSync(app, { recursive: true, force: true });
  });

  function copyNotesModule(): void {
    const from = join(projectRoot, 'examples/notes-module');
    mkdirSync(join(app, 'notes-module'));
    for (const file of readdirSync(from).filter((name) => name !== 'app.ts')) {
      const code = asApplication(readFileSync(join(from, file), 'utf8'));
      writeFileSync(join(app, 'notes-module', file), code);
    }
  }

  /** Runs a script in the application, in the environment of a function. @returns what it prints, as JSON. */
  async function evaluate(script: string, messaging = {}): Promise<unknown> {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: app,
      env: {
        PATH: process.env.PATH,
        ...compiledOnce(),
        AWS_ENDPOINT_URL: aws.url,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        SVC_MODULE: 'shop',
        SVC_STAGE: 'local',
        SVC_CONFIG: '{"dynamic":{"enabled":true}}',
        SVC_MESSAGING: JSON.stringify(messaging),
        TABLE_NAME: db.tableName,
        BUCKET_NAME: 'bucket',
        EVENT_BUS_NAME: 'bus',
      },
    });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  }

  const synthesise = (file: string, outdir: string) =>
    run(process.execPath, [file], {
      cwd: app,
      env: { ...process.env, ...compiledOnce(), CDK_OUTDIR: outdir },
    });

  const setting = (name: string, value: string) => ({
    pk: `setting#${name}`,
    sk: 'current',
    type: 'setting',
    name,
    value,
    version: 1,
  });

  it('is shown by every document', () => {
    const files = documented.map(({ file }) => file);

    expect(new Set(files).size).toBe(files.length);
    expect(files.length).toBeGreaterThanOrEqual(9);
  });

  it('holds nothing of the tests, such as the stand-in of a document server', () => {
    const files = readdirSync(join(app, 'node_modules/svc-cloud'), { recursive: true }).map(String);

    expect(files).toContain('lib/index.js');
    expect(files.filter((file) => /(^|\/)test\/|document-server|stand-in/.test(file))).toEqual([]);
  });

  it('says the Node that it needs: the guides run TypeScript files as they are', () => {
    const manifest = readFileSync(join(app, 'node_modules/svc-cloud/package.json'), 'utf8');

    expect(JSON.parse(manifest).engines).toEqual({ node: '>=22.18' });
  });

  it('has no type errors', async () => {
    const tsc = join(projectRoot, 'node_modules/.bin/tsc');

    const { stdout } = await run(tsc, ['-p', app, '--singleThreaded']).catch(
      (error: { stdout: string }) => error,
    );

    expect(stdout).toBe('');
  });

  it('reads, encrypts and refreshes settings in a function of its own', async () => {
    db.load([
      setting('mail.from', 'a@example.com'),
      setting('security.aes_secret', 'a passphrase'),
    ]);

    const answer = await evaluate(
      "const { handler } = await import('./mail.ts'); console.log(JSON.stringify(await handler()))",
      { distributedTopics: ['iam-config-refresh'] },
    );

    expect(answer).toEqual({
      from: 'a@example.com',
      sender: '<a@example.com>',
      sealed: expect.stringMatching(/^enc:v1:/),
      refreshed: { key: 'mail.from', epoch: 1 },
    });
    expect(aws.events).toEqual(['iam-config-refresh']);
  });

  it('stores an order with its message', async () => {
    await evaluate(
      "const { placeOrder } = await import('./place-order.ts'); await placeOrder('7', 42); console.log('{}')",
    );

    expect(db.items()).toContainEqual(
      expect.objectContaining({ pk: 'HOST#order#7', type: 'order', total: 42 }),
    );
  });

  it('listens to messages in a host', async () => {
    await evaluate(`
      import { deliver } from './deliver.js';
      const { default: host } = await import('./messaging-1.ts');
      await deliver(host, 'iam-config-refresh', { key: 'mail.from' });
      console.log('{}')`);

    expect(db.items()).toContainEqual({ pk: 'HOST#seen#mail.from', sk: 'seen', type: 'seen' });
  });

  it('counts loans in a listener that reads a setting and its own items', async () => {
    db.load([setting('loans.entity', 'loan')]);

    await evaluate(`
      import { deliver } from './deliver.js';
      const { default: host } = await import('./loan-listeners.ts');
      const loan = { action: 'CREATED', entityCode: 'loan', id: '1', version: 1, changedFields: [], actor: 'ann' };
      await deliver(host, 'dynamic-record', loan);
      await deliver(host, 'dynamic-record', loan);
      await deliver(host, 'dynamic-record', { ...loan, entityCode: 'device' });
      console.log('{}')`);

    expect(db.items()).toContainEqual(expect.objectContaining({ pk: 'HOST#loans#ann', loans: 2 }));
  });

  it('lends devices under the decisions of a host', async () => {
    const answer = await evaluate(`
      import { anonymous } from 'svc-cloud/function';
      const { declareLoans, lend, publicPaths } = await import('./loans.ts');
      const as = (id) => ({ ...anonymous, id, username: id, authenticated: true });
      await declareLoans(as('ann'));
      await lend('camera', as('ann'));
      const lent = await lend('camera', as('bob'));
      console.log(JSON.stringify({ lent, paths: await publicPaths() }))`);

    expect(answer).toEqual({ lent: [{ device: 'camera', owner: 'bob' }], paths: [] });
  });

  it.each([
    ['stack.ts', 'Shop', 'operator'],
    ['notes-stack.ts', 'Notes', 'notes-counter'],
  ])('synthesises %s, with the code of the application', async (file, stack, marker) => {
    const outdir = join(app, `out-${stack}`);

    await synthesise(file, outdir);

    const template = JSON.parse(readFileSync(join(outdir, `${stack}.template.json`), 'utf8'));
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
    const bundles = await run('grep', ['-rl', marker, outdir]);
    expect(bundles.stdout).toMatch(/index\.mjs/);
  });
});
