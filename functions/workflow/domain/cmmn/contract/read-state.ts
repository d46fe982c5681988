import { CmmnError } from '../basics/cmmn-error.ts';
import { type EngineState, STATE_FORMAT_VERSION } from './state.ts';

type Versioned = { readonly formatVersion: number };

/**
 * What brings a state of a version to the next one, by the version it starts from. A change of the form adds
 * one entry here and one kept file to the tests; entries are never removed.
 */
const UPGRADES: Readonly<Record<number, (state: Versioned) => Versioned>> = {};

/**
 * Reads a stored state, written by this version or by any earlier one.
 * @throws CmmnError `STATE_VERSION_UNKNOWN` when a later version has written it
 */
export function readState(stored: Versioned): EngineState {
  let state = stored;
  while (state.formatVersion < STATE_FORMAT_VERSION) {
    const upgrade = UPGRADES[state.formatVersion];
    if (!upgrade) break;
    state = upgrade(state);
  }
  if (state.formatVersion === STATE_FORMAT_VERSION) return state as EngineState;
  const message = `A state of version ${stored.formatVersion} cannot be read: this is version ${STATE_FORMAT_VERSION}.`;
  throw new CmmnError('STATE_VERSION_UNKNOWN', message);
}
