import { rmSync } from 'node:fs';
import { type CloudPaths, cloudPaths, startCloudFolder } from '../paths.ts';
import { CommandError } from '../terminal/command-error.ts';
import { freePort, isFree } from './free-port.ts';
import { cloudHealth } from './health.ts';
import { ensurePythonTool, localCloudTool } from './install.ts';
import { repairState } from './repair.ts';
import { findRunningCloud, lostSince, type RunningCloud, startLocalCloud } from './start.ts';

/** The local cloud that a command uses. */
export interface UsableCloud {
  readonly endpoint: string;
  readonly version: string;
  /** Set when this project started it: it may be stopped and reset. */
  readonly own?: RunningCloud;
  /** Messages for the user: repaired, lost, found. */
  readonly notes: readonly string[];
}

const defaultPort = 4566;

/** Paths of the local cloud of `npm start`. */
export const ownCloudPaths: CloudPaths = cloudPaths(startCloudFolder);

/**
 * Returns a healthy local cloud: the one at AWS_ENDPOINT_URL, else this project's, started (and installed)
 * first where that is missing).
 * @param onProgress called with progress messages.
 */
export async function ensureLocalCloud(onProgress: (text: string) => void): Promise<UsableCloud> {
  const notes: string[] = [];
  const named = process.env.AWS_ENDPOINT_URL;
  if (named) {
    const health = await cloudHealth(named);
    if (health) return { endpoint: named, version: health.version, notes };
    notes.push(`AWS_ENDPOINT_URL=${named} does not answer as a local cloud; using an own one.`);
  }
  const running = await findRunningCloud(ownCloudPaths);
  if (running) {
    const version = (await cloudHealth(running.endpoint))?.version ?? 'unknown';
    notes.push('It was running already (the last run did not stop it): nothing is lost.');
    return { endpoint: running.endpoint, version, own: running, notes };
  }
  return await startOwn(onProgress, notes);
}

async function startOwn(onProgress: (text: string) => void, notes: string[]): Promise<UsableCloud> {
  const python = await ensurePythonTool(localCloudTool, {
    onInstall: ({ name }) => onProgress(`installing ${name} into .local/ (once, about 20 s)`),
  });
  onProgress('starting');
  const killedAt = lostSince(ownCloudPaths);
  if (killedAt) {
    notes.push(
      `The last run was killed. Lost: everything written since its start (${killedAt}). Older data is kept.`,
    );
  }
  const { unreadable, streamsRepaired } = repairState(ownCloudPaths.state);
  if (unreadable.length > 0) {
    notes.push(
      `Lost: the saved data of ${unreadable.join(', ')} could not be read (set aside as *.json.unreadable in ${ownCloudPaths.state}).`,
    );
  }
  if (streamsRepaired) notes.push('Stream consumers were set to read on.');
  const own = await startLocalCloud({
    python,
    paths: ownCloudPaths,
    port: await choosePort(notes),
  });
  const version = (await cloudHealth(own.endpoint))?.version ?? 'unknown';
  return { endpoint: own.endpoint, version, own, notes };
}

/** LOCAL_CLOUD_PORT, or 4566, or the next free one. */
async function choosePort(notes: string[]): Promise<number> {
  const named = process.env.LOCAL_CLOUD_PORT;
  if (named) {
    const port = Number(named);
    if (await isFree(port)) return port;
    throw new CommandError(
      `Port ${named} (LOCAL_CLOUD_PORT) is in use.`,
      'Stop what listens there, or choose another port.',
    );
  }
  const port = await freePort(defaultPort);
  if (port !== defaultPort) notes.push(`Port ${defaultPort} is in use; using ${port}.`);
  return port;
}

/** Deletes all data of this project's local cloud, which must not be running. */
export function eraseLocalCloud(): void {
  rmSync(ownCloudPaths.folder, { recursive: true, force: true });
  rmSync(ownCloudPaths.temporary, { recursive: true, force: true });
}
