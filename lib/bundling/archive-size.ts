import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ConfigError, error } from '../../shared/config/index.ts';

/** Largest unpacked archive of a function. */
const MAX_ARCHIVE_BYTES = 250 * 1_024 * 1_024;

/**
 * Checks what a function's archive takes when it is unpacked.
 * @throws ConfigError `FUNCTION_TOO_LARGE` naming the function, its size and what takes the most of it.
 */
export function checkArchiveSize(
  name: string,
  archive: string,
  maxBytes = MAX_ARCHIVE_BYTES,
): void {
  if (!existsSync(archive)) return;
  const sizes = new Map<string, number>();
  for (const entry of readdirSync(archive, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const part = partOf(relative(archive, file));
    sizes.set(part, (sizes.get(part) ?? 0) + statSync(file).size);
  }
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (total <= maxBytes) return;
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 3);
  throw new ConfigError([
    error(
      'FUNCTION_TOO_LARGE',
      `function ${name}`,
      `takes ${inMegabytes(total)} unpacked, at most ${inMegabytes(maxBytes)} fit: ${largest
        .map(([part, bytes]) => `${part} ${inMegabytes(bytes)}`)
        .join(', ')}`,
    ),
  ]);
}

/** A package, a folder of assets, or the file itself. */
function partOf(path: string): string {
  return /^(?:node_modules\/(?:@[^/]+\/)?[^/]+|assets\/[^/]+)/.exec(path)?.[0] ?? path;
}

const inMegabytes = (bytes: number): string => `${Math.ceil((bytes / 1_024 / 1_024) * 10) / 10} MB`;
