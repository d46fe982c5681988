import { rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import {
  ApiGatewayV2Client,
  CreateApiCommand,
  CreateIntegrationCommand,
  CreateRouteCommand,
  CreateStageCommand,
} from '@aws-sdk/client-apigatewayv2';
import { CreateFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { buildSync } from 'esbuild';
import { zipFolder } from '../../bin/dev/deploy/zip.ts';
import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import { localClientConfig } from '../../bin/dev/local-cloud/aws-client.ts';
import { bundleOptions } from '../../lib/bundling/bundle.ts';
import { startTestPlatform, type TestPlatform } from '../tools/test-platform.ts';
import { type Benchmark, benchFolder, type Figure, median } from './benchmark.ts';

const CALLS = 300;
const WARM_UP = 30;
const NAME = 'bench.value';

/** The least that reads the same item behind the same gateway. It writes a line, as the local cloud likes it. */
const BARE_HANDLER = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const handler = async () => {
  const { Item } = await client.send(new GetCommand({
    TableName: process.env.TABLE_NAME, Key: { pk: 'setting#${NAME}', sk: 'current' }, ConsistentRead: true,
  }));
  console.log('{"message":"request"}');
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(Item) };
};
`;

/** A warm read of a setting through the local cloud, against a bare handler that does the same read. */
export default {
  name: 'Settings over HTTP',
  async run(say) {
    const platform = await startTestPlatform({ onProgress: say });
    try {
      const { baseUrl, endpoint, apiId } = platform.outputs;
      const token = await signDevToken(await ensureDevIssuer(), {
        sub: 'bench',
        roles: ['admin'],
        permissions: [],
      });
      await call(
        `${baseUrl}/api/v1/setting/save`,
        token,
        JSON.stringify({ name: NAME, value: 'x' }),
      );
      const bareApi = await deployBareHandler(platform);
      // Both without the proxy of the stable address.
      const ours = `${endpoint}/_aws/execute-api/${apiId}/$default/api/v1/setting/${NAME}`;
      const bare = `${endpoint}/_aws/execute-api/${bareApi}/$default/bare`;
      say(`${CALLS} calls of each, one after the other`);
      const [oursMs = 0, bareMs = 0] = await measure([
        () => call(ours, token),
        () => call(bare, token),
      ]);
      return [
        {
          what: 'GET /api/v1/setting/{key}, warm, p50',
          value: oursMs,
          unit: 'ms',
          floor: { what: 'a bare handler with the same read', value: bareMs },
          goal: 1.3,
        },
      ] satisfies Figure[];
    } finally {
      await platform.stop();
    }
  },
} satisfies Benchmark;

/** Medians; the calls alternate, so that a busy moment hits both. */
async function measure(works: readonly (() => Promise<void>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = 0; round < WARM_UP + CALLS; round += 1) {
    for (const [index, work] of works.entries()) {
      const startedAt = performance.now();
      await work();
      if (round >= WARM_UP) times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map(median);
}

const agent = new Agent({ keepAlive: true });

function call(url: string, token: string, body?: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers, method: body ? 'POST' : 'GET' }, (response) => {
      response.resume();
      const failed = (response.statusCode ?? 500) >= 300;
      response.on('end', () =>
        failed ? reject(new Error(`${url} answered ${response.statusCode}`)) : resolve(),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** @returns the id of an API whose only function is the bare handler. */
async function deployBareHandler({ outputs }: TestPlatform): Promise<string> {
  const folder = benchFolder();
  try {
    const entry = join(folder, 'handler.ts');
    writeFileSync(entry, BARE_HANDLER);
    buildSync(bundleOptions([{ name: 'bare', entry }], { outdir: folder }));
    const { FunctionArn } = await new LambdaClient(localClientConfig(outputs.endpoint)).send(
      new CreateFunctionCommand({
        FunctionName: 'bench-bare',
        Runtime: 'nodejs24.x',
        Role: 'arn:aws:iam::000000000000:role/bench',
        Handler: 'index.handler',
        MemorySize: 1024,
        Timeout: 29,
        Environment: { Variables: { TABLE_NAME: outputs.tableName } },
        Code: { ZipFile: zipFolder(join(folder, 'bare')) },
      }),
    );
    const gateway = new ApiGatewayV2Client(localClientConfig(outputs.endpoint));
    const { ApiId } = await gateway.send(
      new CreateApiCommand({ Name: 'bench-bare', ProtocolType: 'HTTP' }),
    );
    const { IntegrationId } = await gateway.send(
      new CreateIntegrationCommand({
        ApiId,
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: FunctionArn,
        PayloadFormatVersion: '2.0',
      }),
    );
    await gateway.send(
      new CreateRouteCommand({
        ApiId,
        RouteKey: 'GET /bare',
        Target: `integrations/${IntegrationId}`,
      }),
    );
    await gateway.send(new CreateStageCommand({ ApiId, StageName: '$default', AutoDeploy: true }));
    if (!ApiId) throw new Error('The local cloud made no API for the bare handler');
    return ApiId;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
