import { readState } from '../../contract/read-state.ts';
import { type CaseInstance, type EngineState, STATE_FORMAT_VERSION } from '../../contract/state.ts';
import { requireFamily } from './family.ts';
import type { LiveCase } from './live-case.ts';
import { storeCase } from './stored-case.ts';

/** States that commands of this process have left behind, or that it has read and proved: frozen, and families. */
const known = new WeakSet<EngineState>();

/** The state that a command leaves behind. */
export function writeState(family: readonly LiveCase[]): EngineState {
  const cases = Object.freeze(family.map((live) => live.stored ?? storeCase(live)));
  const state: EngineState = Object.freeze({ formatVersion: STATE_FORMAT_VERSION, cases });
  known.add(state);
  return state;
}

/**
 * The cases of a state, which are one family, frozen.
 * @throws CmmnError `STATE_INVALID`, `STATE_VERSION_UNKNOWN`, `FAMILY_INCOMPLETE`
 */
export function casesOf(state: EngineState): readonly CaseInstance[] {
  if (known.has(state)) return state.cases;
  const proven = readState(state);
  requireFamily(proven.cases);
  known.add(proven);
  return proven.cases;
}
