import { isPassing, SourceError } from '../../providers/source-error.ts';
import type { RunEnd } from './run.ts';

/** Ends a run: thrown where it is found out, and handed on as a value by the step. */
export class StopRun extends Error {
  override readonly name = 'StopRun';
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(end.desc ?? end.status);
    this.end = end;
  }
}

/** The end that a failure of the source means. */
export const endOf = ({ code, message }: SourceError): RunEnd => ({
  status: 'FAIL',
  reasonCode: code,
  desc: message,
});

/** The wait that a busy source asks for, for the machine and not for a function; `undefined`: the run ends. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof SourceError) || !isPassing(error)) return undefined;
  const seconds = error.retryAfterSeconds;
  return seconds !== undefined && seconds <= MAX_WAIT_S ? Math.max(MIN_WAIT_S, seconds) : undefined;
}

const MIN_WAIT_S = 1;
const MAX_WAIT_S = 900;
