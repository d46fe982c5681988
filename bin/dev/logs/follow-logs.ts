import { setTimeout as sleep } from 'node:timers/promises';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { localClientConfig } from '../local-cloud/aws-client.ts';
import { formatLogEvent } from './format-log-line.ts';

export interface FollowOptions {
  readonly endpoint: string;
  /** Deployed function names by module; called in every round. */
  readonly functions: () => Readonly<Record<string, string>>;
  /** Milliseconds since 1970: nothing older is shown. */
  readonly since: number;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  /** Whether to keep following after the existing events. */
  readonly follow: boolean;
}

const roundMs = 700;

/** Prints the logs of functions, oldest first, until `signal` aborts. */
export async function followLogs(options: FollowOptions): Promise<void> {
  const logs = new CloudWatchLogsClient(localClientConfig(options.endpoint));
  const lambda = new LambdaClient(localClientConfig(options.endpoint));
  const groups = new Map<string, string>();
  const readers = new Map<string, { next: number; seen: Set<string> }>();
  do {
    for (const [module, functionName] of Object.entries(options.functions())) {
      const group = groups.get(functionName) ?? (await logGroup(lambda, functionName));
      groups.set(functionName, group);
      const reader = readers.get(group) ?? { next: options.since, seen: new Set<string>() };
      readers.set(group, reader);
      await printNew(logs, { group, module, reader, print: options.print });
    }
    if (!options.follow) break;
    await sleep(roundMs, undefined, { signal: options.signal }).catch(() => undefined);
  } while (!options.signal.aborted);
  logs.destroy();
  lambda.destroy();
}

async function logGroup(lambda: LambdaClient, functionName: string): Promise<string> {
  try {
    const { LoggingConfig } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functionName }),
    );
    return LoggingConfig?.LogGroup ?? `/aws/lambda/${functionName}`;
  } catch {
    return `/aws/lambda/${functionName}`;
  }
}

interface Reading {
  readonly group: string;
  readonly module: string;
  readonly reader: { next: number; seen: Set<string> };
  readonly print: (line: string) => void;
}

async function printNew(logs: CloudWatchLogsClient, reading: Reading): Promise<void> {
  const { group, module, reader, print } = reading;
  const events = await readEvents(logs, group, reader.next);
  for (const { eventId = '', timestamp = 0, message = '' } of events) {
    const id = eventId || `${timestamp}${message}`;
    if (reader.seen.has(id)) continue;
    if (timestamp > reader.next) {
      // Later rounds start here: only events of this millisecond can be duplicates.
      reader.next = timestamp;
      reader.seen.clear();
    }
    reader.seen.add(id);
    const line = formatLogEvent({ module, timestamp, message });
    if (line) print(line);
  }
}

async function readEvents(
  logs: CloudWatchLogsClient,
  group: string,
  startTime: number,
): Promise<{ eventId?: string; timestamp?: number; message?: string }[]> {
  try {
    const { events = [] } = await logs.send(
      new FilterLogEventsCommand({ logGroupName: group, startTime }),
    );
    return events.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  } catch {
    // The log group does not exist before the first call, and a stopping cloud does not respond.
    return [];
  }
}
