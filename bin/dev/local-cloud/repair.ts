import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Sets the saved read positions of stream consumers to the start. The local cloud saves the positions, but not the
 * streams they point into: without this, a consumer gets nothing until as many records were written as before.
 * @returns the repaired state, or undefined when nothing was wrong.
 */
export function repairStreamPositions(state: unknown): unknown | undefined {
  const positions = memberAt(state, ['payload', 'dynamodb_stream_positions', 'data']);
  if (!isRecord(positions) || Object.values(positions).every((value) => value === 0)) {
    return undefined;
  }
  const copy = structuredClone(state);
  const target = memberAt(copy, ['payload', 'dynamodb_stream_positions', 'data']);
  if (isRecord(target)) for (const key of Object.keys(target)) target[key] = 0;
  return copy;
}

/** Result of {@link repairState}. */
export interface RepairReport {
  /** Services with unreadable saved state; they start empty. */
  readonly unreadable: readonly string[];
  /** Whether stream consumers were set to the start. */
  readonly streamsRepaired: boolean;
}

/** Repairs the saved state before the local cloud reads it. An unreadable file is set aside, not deleted. */
export function repairState(stateFolder: string): RepairReport {
  if (!existsSync(stateFolder)) return { unreadable: [], streamsRepaired: false };
  const unreadable: string[] = [];
  let streamsRepaired = false;
  for (const file of readdirSync(stateFolder).filter((name) => name.endsWith('.json'))) {
    const path = join(stateFolder, file);
    const state = readJson(path);
    if (state === undefined) {
      unreadable.push(file.slice(0, -'.json'.length));
      renameSync(path, `${path}.unreadable`);
    } else if (file === 'lambda.json') {
      streamsRepaired = repairLambda(path, state);
    }
  }
  return { unreadable, streamsRepaired };
}

function repairLambda(path: string, state: unknown): boolean {
  const repaired = repairStreamPositions(state);
  if (repaired === undefined) return false;
  writeFileSync(`${path}.tmp`, JSON.stringify(repaired));
  renameSync(`${path}.tmp`, path);
  return true;
}

function readJson(path: string): unknown | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, key) => (isRecord(at) ? at[key] : undefined), value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
