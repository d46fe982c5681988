import { CmmnError } from '../basics/cmmn-error.ts';
import { Misfit } from './form.ts';
import { type CaseInstance, type EngineState, STATE_FORMAT_VERSION } from './state.ts';
import { caseForm } from './state-form.ts';

/**
 * Migrations of stored cases to the next version, by the version they start from. A change of the form
 * adds one entry here and one kept file to the tests; entries are never removed.
 */
const UPGRADES: Readonly<Record<number, (stored: unknown) => unknown>> = {};

/** States and cases that this process has read, frozen: their form is not to be proved again. */
const read = new WeakSet<EngineState | CaseInstance>();

/**
 * Reads a stored state, written by this version or by any earlier one. What it answers is frozen but for the values of
 * variables, and known from then on: views and commands take it as it is.
 * @throws CmmnError `STATE_VERSION_UNKNOWN` when a later version has written it, `STATE_INVALID` when no version has
 */
export function readState(stored: unknown): EngineState {
  if (read.has(stored as EngineState)) return stored as EngineState;
  const version = versionOf(stored);
  if (!isReadable(version)) throw unknownVersion(version);
  const { cases } = stored as { readonly cases?: unknown };
  if (!Array.isArray(cases)) throw invalid('a state', 'there are no cases');
  const state: EngineState = Object.freeze({
    formatVersion: STATE_FORMAT_VERSION,
    cases: Object.freeze(cases.map(readCase)),
  });
  read.add(state);
  return state;
}

/**
 * Reads one stored case, for hosts that store the cases of a family one by one.
 * @throws CmmnError `STATE_VERSION_UNKNOWN`, `STATE_INVALID`
 */
export function readCase(stored: unknown): CaseInstance {
  if (read.has(stored as CaseInstance)) return stored as CaseInstance;
  const version = versionOf(stored);
  if (!isReadable(version)) throw unknownVersion(version);
  let current = stored;
  for (let from = version; from < STATE_FORMAT_VERSION; from++) current = UPGRADES[from]?.(current);
  const result = caseForm(current);
  if (result instanceof Misfit) {
    throw invalid('a case', `${result.path.join('.')}: ${result.why}`);
  }
  read.add(result);
  return result;
}

function versionOf(stored: unknown): number {
  const version =
    stored !== null && typeof stored === 'object' && 'formatVersion' in stored
      ? stored.formatVersion
      : undefined;
  if (typeof version === 'number') return version;
  throw invalid('a state', 'there is no formatVersion');
}

const isReadable = (version: number): boolean =>
  version === STATE_FORMAT_VERSION || Object.hasOwn(UPGRADES, version);

const unknownVersion = (version: number): CmmnError =>
  new CmmnError(
    'STATE_VERSION_UNKNOWN',
    `A state of version ${version} cannot be read: this is version ${STATE_FORMAT_VERSION}.`,
  );

const invalid = (what: string, why: string): CmmnError =>
  new CmmnError('STATE_INVALID', `This is not ${what} that the engine has written: ${why}.`);
