import { randomUUID } from 'node:crypto';
import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import { recordedCase } from '../helpers/workflow-costs/recorded-case.ts';
import { MODEL } from '../helpers/workflow-costs/world.ts';
import { startTestPlatform } from '../tools/test-platform.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';
import { deployBareHandler } from './http/bare-handler.ts';
import { call } from './http/http-call.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 100);
const WARM_UP = 10;
const CMMN = '/api/v1/workflow/cmmn';

/** Does the requests of a start or a completion that were recorded, one after the other, under ids of its own. */
const BARE_HANDLER = `
import * as dynamodb from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
const client = new dynamodb.DynamoDBClient({});
const bus = new EventBridgeClient({});
const recorded = JSON.stringify(RECORDED);
const bytes = (_, value) =>
  typeof value?.B === 'string' && Object.keys(value).length === 1 ? { B: Buffer.from(value.B, 'base64') } : value;
export const handler = async ({ body }) => {
  const { step, id } = JSON.parse(body);
  const requests = JSON.parse(recorded.replaceAll('@TABLE@', process.env.TABLE_NAME).replaceAll('@CASE@', id), bytes);
  for (const { operation, input } of requests[step]) {
    if (operation === 'PutEvents') {
      const Entries = input.Entries.map((entry) => ({ ...entry, EventBusName: process.env.BUS_NAME }));
      await bus.send(new PutEventsCommand({ Entries }));
    } else await client.send(new dynamodb[operation + 'Command'](input));
  }
  console.log('{"message":"request"}');
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
};
`;

/** Start and completion through the local cloud, against a bare handler with the same reads, writes and sends. */
export default {
  name: 'Workflow over HTTP',
  async run(say) {
    const recorded = await recordedCase();
    const platform = await startTestPlatform({ onProgress: say });
    try {
      const { baseUrl, endpoint, apiId, tableName, eventBusName } = platform.outputs;
      const claims = { sub: 'bench', roles: ['admin'], groups: ['clerks'], permissions: [] };
      const token = await signDevToken(await ensureDevIssuer(), claims);
      const send = async (url: string, body: object) =>
        JSON.parse(await call(url, token, JSON.stringify(body)));
      await send(`${baseUrl}${CMMN}/deployments`, { workflowCode: 'measured', xml: MODEL });
      const bareApi = await deployBareHandler(platform.outputs, {
        code: BARE_HANDLER.replace('RECORDED', () => JSON.stringify(recorded)),
        route: 'POST /bare',
        variables: { TABLE_NAME: tableName, BUS_NAME: eventBusName },
      });
      // Both without the proxy of the stable address.
      const ours = `${endpoint}/_aws/execute-api/${apiId}/$default`;
      const bare = `${endpoint}/_aws/execute-api/${bareApi}/$default/bare`;
      const works: readonly Pair[] = [
        {
          start: async () => {
            const body = { workflowCode: 'measured', variables: { all: [] } };
            const { tasks } = await send(`${ours}${CMMN}/cases`, body);
            return String(tasks[0].taskId);
          },
          complete: (id) => send(`${ours}/api/v1/tasks/${id}/complete`, {}),
        },
        {
          start: async () => {
            const id = randomUUID().slice(0, 8);
            await send(bare, { step: 'start', id });
            return id;
          },
          complete: (id) => send(bare, { step: 'complete', id }),
        },
      ];
      say(`${CALLS} cases of each, one after the other`);
      return figuresOf(await measure(works));
    } finally {
      await platform.stop();
    }
  },
} satisfies Benchmark;

interface Pair {
  readonly start: () => Promise<string>;
  readonly complete: (id: string) => Promise<unknown>;
}

interface Times {
  readonly start: number[];
  readonly complete: number[];
}

/** The calls alternate, so that a busy moment hits both. */
async function measure(works: readonly Pair[]): Promise<readonly Times[]> {
  const times = works.map((): Times => ({ start: [], complete: [] }));
  for (let round = 0; round < WARM_UP + CALLS; round += 1) {
    for (const [at, { start, complete }] of works.entries()) {
      const startedAt = performance.now();
      const id = await start();
      const betweenAt = performance.now();
      await complete(id);
      if (round < WARM_UP) continue;
      times[at]?.start.push(betweenAt - startedAt);
      times[at]?.complete.push(performance.now() - betweenAt);
    }
  }
  return times;
}

function figuresOf([ours, bare]: readonly Times[]): Figure[] {
  if (!ours || !bare) return [];
  const both = ({ start, complete }: Times) => start.map((time, at) => time + (complete[at] ?? 0));
  const what = 'a bare handler with the same reads, writes and sends';
  const figure = (name: string, own: number[], floor: number[], goal?: number): Figure => ({
    ...{ what: `${name}, warm, p50`, value: median(own), unit: 'ms', goal },
    floor: { what, value: median(floor) },
  });
  return [
    figure('start of a case', ours.start, bare.start),
    figure('completion of its task', ours.complete, bare.complete),
    figure('start and completion', both(ours), both(bare), 2),
  ];
}
