import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../bin/dev/local-cloud/aws-client.ts';
import { freePort } from '../../bin/dev/local-cloud/free-port.ts';
import { localFolder } from '../../bin/dev/paths.ts';

const VERSION = '2.6.1';
const OLDEST_JAVA = 17;

/** A running DynamoDB Local, Amazon's own, with nothing in it. */
export interface DynamoDbLocal {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Why it cannot run here, in one line; undefined when it can. */
export function missingForDynamoDbLocal(): string | undefined {
  const java = /version "(\d+)/.exec(outputOf('java', ['-version']))?.[1];
  if (java === undefined || Number(java) < OLDEST_JAVA) {
    return `DynamoDB Local needs a JDK ${OLDEST_JAVA} or later (found: ${java ?? 'none'}): nothing was checked.`;
  }
  if (existsSync(folder()) || outputOf('mvn', ['-v']) !== '') return undefined;
  return 'DynamoDB Local is fetched by Maven, and there is no "mvn": nothing was checked.';
}

/** Fetches it once into `.local/` and starts it on a free port, in memory. It ends with this process. */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  if (!existsSync(folder())) fetchLibraries();
  const port = await freePort(28_000 + Math.floor(Math.random() * 1_000));
  const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
  const server = ['-inMemory', '-disableTelemetry', '-port', String(port)];
  // The shell ends the server when its input ends, and that is when this process does, in whichever way.
  const child = spawn(
    'sh',
    [
      ...['-c', 'java "$@" & cat >/dev/null; kill $!', 'sh'],
      ...['-cp', [join(folder(), '*'), ''].join(delimiter), main, ...server],
    ],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  );
  const endpoint = `http://127.0.0.1:${port}`;
  await untilAnswering(endpoint, child);
  return {
    endpoint,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.stdin?.end();
      }),
  };
}

const folder = (): string => join(localFolder, `dynamodb-local-${VERSION}`);

function fetchLibraries(): void {
  const making = `${folder()}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, 'pom.xml'), pom());
  execFileSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=.'], {
    cwd: making,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  renameSync(making, folder());
}

const pom = (): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>svc-cloud</groupId><artifactId>dynamodb-local</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId><version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

async function untilAnswering(endpoint: string, child: ChildProcess): Promise<void> {
  const client = new DynamoDBClient({ ...localClientConfig(endpoint), maxAttempts: 1 });
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      client.destroy();
      return;
    } catch (error) {
      if (Date.now() < deadline && child.exitCode === null) await sleep(100);
      else throw error;
    }
  }
}

/** What a program writes to both its outputs; nothing when it is not there. */
function outputOf(command: string, args: readonly string[]): string {
  try {
    return execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', command, ...args], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
