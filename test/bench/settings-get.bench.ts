import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import { startTestPlatform } from '../tools/test-platform.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';
import { deployBareHandler } from './http/bare-handler.ts';
import { call } from './http/http-call.ts';

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
      const bareApi = await deployBareHandler(platform.outputs, {
        code: BARE_HANDLER,
        route: 'GET /bare',
        variables: { TABLE_NAME: platform.outputs.tableName },
      });
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
async function measure(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
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
