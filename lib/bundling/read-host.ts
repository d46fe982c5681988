import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BuildFailure } from 'esbuild';
import type { Host } from '../../shared/host/host.ts';
import { loadBundled } from './load-bundled.ts';
import { packageRoot } from './package-files.ts';

/** An invalid `hostEntry`; the message says what to fix. */
class HostEntryError extends Error {
  override readonly name = 'HostEntryError';

  constructor(hostEntry: string, reason: string) {
    super(`hostEntry ${hostEntry} ${reason}`);
    this.stack = `${this.name}: ${this.message}`;
  }
}

/**
 * The host that a file exports.
 * @throws HostEntryError when there is no such file, it does not compile or exports no host; and whatever it throws.
 */
export function readHost(hostEntry: string): Host {
  const file = resolve(hostEntry);
  if (!existsSync(file)) {
    throw new HostEntryError(hostEntry, `does not exist (looked for ${file}).`);
  }
  const exported = load(hostEntry);
  const host = exported.__esModule ? exported.default : exported;
  if (isHost(host)) return host;
  throw new HostEntryError(hostEntry, 'has no host: write "export default defineHost({ ... })".');
}

const isHost = (value: unknown): value is Host => typeof value === 'object' && value !== null;

function load(hostEntry: string): { readonly default?: unknown; readonly __esModule?: true } {
  try {
    return loadBundled(resolve(hostEntry));
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (!Array.isArray(errors) || errors.length === 0) throw error;
    const places = (errors as BuildFailure['errors']).map(({ text, location }) =>
      location ? `${text} (${resolve(packageRoot, location.file)}:${location.line})` : text,
    );
    throw new HostEntryError(hostEntry, `does not compile: ${places.join('; ')}`);
  }
}
