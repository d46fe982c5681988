import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive } from './local-cloud/lock.ts';
import { localFolder } from './paths.ts';
import { CommandError } from './terminal/command-error.ts';

/** Facts about a running platform, as written to `.local/outputs.json`. */
export interface PlatformOutputs {
  /** Address of the HTTP API, without a slash at the end. */
  readonly baseUrl: string;
  /** Address of the local cloud. */
  readonly endpoint: string;
  readonly region: string;
  readonly stage: string;
  readonly stackName: string;
  readonly tableName: string;
  readonly bucketName: string;
  readonly eventBusName: string;
  readonly apiId: string;
  /** Deployed function names by module. */
  readonly functions: Readonly<Record<string, string>>;
  /** Process that serves `baseUrl`. */
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** Where `npm start` leaves its outputs while the platform is up. */
const outputsFile = join(localFolder, 'outputs.json');

/** Writes the outputs in one step, so that a reader never sees half of them. */
export function writeOutputs(outputs: PlatformOutputs, file = outputsFile): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.tmp`, `${JSON.stringify(outputs, undefined, 2)}\n`);
  renameSync(`${file}.tmp`, file);
}

/** The outputs of a platform that is up; undefined when there is none, also when its process was killed. */
export function readOutputs(file = outputsFile): PlatformOutputs | undefined {
  try {
    const outputs = JSON.parse(readFileSync(file, 'utf8')) as PlatformOutputs;
    return isAlive(outputs.pid) ? outputs : undefined;
  } catch {
    return undefined;
  }
}

/** Deletes the outputs when the platform stops. */
export function removeOutputs(file = outputsFile): void {
  rmSync(file, { force: true });
}

/** The outputs of the running platform. @throws CommandError when it is not up. */
export function requireOutputs(): PlatformOutputs {
  const outputs = readOutputs();
  if (outputs) return outputs;
  throw new CommandError('The platform is not running.', 'Start it in another terminal: npm start');
}
