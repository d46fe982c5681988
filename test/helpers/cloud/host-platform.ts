import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import {
  type BuiltFunction,
  type BuiltFunctions,
  FunctionBuilder,
} from '../../../bin/dev/build/function-builder.ts';
import { ensureDevIssuer, signDevToken } from '../../../bin/dev/dev-issuer.ts';
import { localClientConfig } from '../../../bin/dev/local-cloud/aws-client.ts';
import { localFolder, projectRoot } from '../../../bin/dev/paths.ts';
import { startTestPlatform } from '../../tools/test-platform.ts';
import {
  checkCallsAgainstPolicies,
  describeFindings,
} from '../grants/check-calls-against-policies.ts';
import { parseRecordedCalls } from '../grants/recorded-call.ts';
import { onceInARun } from '../world/run-folder.ts';
import { type ApiClient, createApiClient } from './api-client.ts';

/** A platform with a host and properties of its own, and what a test looks at. */
export interface HostPlatform {
  readonly api: ApiClient;
  readonly baseUrl: string;
  /** Items with a `type`. */
  items(type: string): Promise<Record<string, unknown>[]>;
  put(item: object): Promise<void>;
  /** JSON lines in the logs of all functions that hold a text. */
  logLines(text: string): Promise<Record<string, unknown>[]>;
  /** The line of a listener that has processed a message. */
  processed(group: string, facts?: Readonly<Record<string, unknown>>): Promise<LogLine>;
  /** Calls of the functions that their roles do not allow, one line each. */
  callsBeyondRoles(): string;
  stop(): Promise<void>;
}

type LogLine = Readonly<Record<string, unknown>>;

/** Deploys the platform with a host file on a fresh local cloud. */
export async function deployHost(
  host: string,
  context: Readonly<Record<string, string>> = {},
): Promise<HostPlatform> {
  const folder = mkdtempSync(join(localFolder, 'host-'));
  const recording = join(folder, 'calls.jsonl');
  const built = await buildWith(host);
  const platform = await startTestPlatform({ ...built, context, recording, enforceIam: true });
  const { endpoint, tableName, baseUrl } = platform.outputs;
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(endpoint)));
  const logs = new CloudWatchLogsClient(localClientConfig(endpoint));
  const token = await signDevToken(await ensureDevIssuer(), { sub: 'mai', roles: ['admin'] });
  const logLines = (text: string) => readLogs(logs, text);
  return {
    api: createApiClient({ baseUrl, token }),
    baseUrl,
    logLines,
    async items(type) {
      const found: Record<string, unknown>[] = [];
      const pages = paginateScan({ client: documents }, { TableName: tableName });
      for await (const { Items = [] } of pages)
        found.push(...Items.filter((item) => item.type === type));
      return found;
    },
    put: async (item) =>
      void (await documents.send(new PutCommand({ TableName: tableName, Item: item }))),
    processed: (group, facts = {}) =>
      eventually(`${group} has processed ${JSON.stringify(facts)}`, async () =>
        (await logLines(`"group":"${group}"`)).find(
          (line) =>
            line.message === 'message' &&
            Object.entries(facts).every(([name, value]) => line[name] === value),
        ),
      ),
    callsBeyondRoles() {
      const calls = parseRecordedCalls(readFileSync(recording, 'utf8'));
      if (calls.length === 0) throw new Error('No call was recorded');
      const findings = checkCallsAgainstPolicies(calls, JSON.parse(platform.templateBody));
      return describeFindings({ ...findings, unused: [] });
    },
    async stop() {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Builds the functions with a host, once in a run: no configuration is built into them. */
async function buildWith(host: string): Promise<{ hostEntry: string; built: BuiltFunctions }> {
  const text = host.replaceAll("'../shared/", `'${projectRoot}/shared/`);
  const name = `host-${createHash('sha256').update(text).digest('hex')}`;
  const folder = await onceInARun(name, async (into) => {
    const hostEntry = join(into, 'host.ts');
    writeFileSync(hostEntry, text);
    const builder = new FunctionBuilder({
      outputFolder: join(into, 'functions'),
      minify: true,
      hostEntry,
    });
    writeFileSync(join(into, 'built.json'), JSON.stringify(await builder.buildAll()));
    await builder.close();
  });
  const functions = join(folder, 'functions');
  const built = JSON.parse(
    readFileSync(join(folder, 'built.json'), 'utf8'),
  ) as readonly BuiltFunction[];
  return {
    hostEntry: join(folder, 'host.ts'),
    built: {
      folder: functions,
      functions: built.map((each) => ({ ...each, folder: join(functions, each.name) })),
    },
  };
}

async function readLogs(logs: CloudWatchLogsClient, text: string): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({}));
  for (const { logGroupName } of logGroups) {
    const pages = paginateFilterLogEvents({ client: logs }, { logGroupName });
    for await (const { events = [] } of pages) {
      for (const { message = '' } of events) {
        if (message.includes(text) && message.includes('{'))
          lines.push(JSON.parse(message.slice(message.indexOf('{'))));
      }
    }
  }
  return lines;
}

/**
 * Looks four times a second until something is there: longer than the six times the time limit of a function after which
 * a queue gives it a message again, as it does when a busy machine has no time for the first call.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  seconds = 240,
): Promise<T> {
  for (let i = 0; i < seconds * 4; i += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(250);
  }
  throw new Error(`Not within ${seconds} s: ${what}`);
}
