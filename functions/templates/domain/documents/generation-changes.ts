import type { Generation, GenerationFailure, GenerationWarning, Output } from './generation.ts';
import {
  codesOf,
  finalPath,
  LEASE_MS,
  locksPath,
  MAX_PLACES,
  outputPath,
  printedPath,
} from './generation.ts';

/** When something is done: the time of the tenant as a stamp, and that of the machine for leases. */
export interface Moment {
  readonly at: string;
  readonly machineMs: number;
}

/** Most warnings that are kept with their details; the codes are complete. An item holds 400 KB. */
const MAX_WARNINGS = 100;
const MAX_MESSAGE = 300;

const TOO_MANY_PLACES: GenerationWarning = {
  code: 'VALUE_TRUNCATED',
  message: `The document keeps more places free than the ${MAX_PLACES} that are told of.`,
};

const next = (generation: Generation, { at }: Moment, change: Partial<Generation>): Generation => ({
  ...generation,
  ...change,
  version: generation.version + 1,
  updatedAt: at,
});

/** A rendering begins, or takes over from one that was interrupted or has failed. */
export const begun = (generation: Generation, moment: Moment): Generation =>
  next(generation, moment, {
    status: 'RENDERING',
    attempt: generation.attempt + 1,
    leaseUntil: moment.machineMs + LEASE_MS,
    failure: undefined,
    remains: some(attempted(generation)),
  });

/** The rendering has written its output. */
export function completed(
  generation: Generation,
  moment: Moment,
  { places = [], ...output }: Output,
  found: readonly GenerationWarning[],
): Generation {
  const warnings = places.length > MAX_PLACES ? [TOO_MANY_PLACES, ...found] : found;
  return next(generation, moment, {
    status: 'GENERATED',
    editStatus: generation.format === 'DOCX' ? 'EDITABLE' : 'NOT_EDITABLE',
    output: { ...output, ...(places.length > 0 && { places: places.slice(0, MAX_PLACES) }) },
    warningCodes: codesOf(warnings),
    warnings: warnings.slice(0, MAX_WARNINGS).map(shortened),
  });
}

/** The rendering has failed, and has left what it may have written. */
export const failed = (
  generation: Generation,
  moment: Moment,
  failure: GenerationFailure,
): Generation =>
  next(generation, moment, { status: 'FAILED', failure, remains: some(attempted(generation)) });

/** The rendering has met what passes, and is begun again at any time. */
export const released = (generation: Generation, moment: Moment): Generation =>
  next(generation, moment, {
    ...{ status: 'PENDING', leaseUntil: moment.machineMs - 1 },
    remains: some(attempted(generation)),
  });

/** A job renders it from now on. @param patienceMs how long others leave it to that job */
export const deferred = (
  generation: Generation,
  moment: Moment,
  { jobId, patienceMs }: { readonly jobId: string; readonly patienceMs: number },
): Generation =>
  next(generation, moment, {
    ...{ status: 'PENDING', jobId, failure: undefined },
    leaseUntil: moment.machineMs + patienceMs,
  });

const shortened = (warning: GenerationWarning): GenerationWarning => ({
  ...warning,
  message: warning.message.slice(0, MAX_MESSAGE),
});

/** Somebody has edited the output; its values that were locked are as they were. */
export const edited = (
  generation: Generation,
  moment: Moment,
  {
    output,
    warnings,
    isTerminal,
  }: {
    readonly output: Output;
    readonly warnings: readonly GenerationWarning[];
    readonly isTerminal: boolean;
  },
): Generation =>
  next(generation, moment, {
    ...{ output, editStatus: isTerminal ? 'EDITED' : 'EDITING' },
    warningCodes: codesOf([...generation.warningCodes.map((code) => ({ code })), ...warnings]),
    warnings: [...generation.warnings, ...warnings].slice(-MAX_WARNINGS).map(shortened),
  });

/** A finalization is about to copy the output to a place of its own. */
export const copied = (generation: Generation, moment: Moment, path: string): Generation =>
  next(generation, moment, left(moment, [...(generation.remains ?? []), path]));

/** The output is what it will always be. Who edits it meanwhile may still write where it was. */
export const finalized = (
  generation: Generation,
  moment: Moment,
  by: string,
  { locksPath: _unlocked, ...output }: Output,
): Generation =>
  next(generation, moment, {
    ...{ status: 'FINALIZED', editStatus: 'LOCKED', output },
    ...{ finalizedAt: moment.at, finalizedBy: by },
    ...left(
      moment,
      [...(generation.remains ?? []), ...storedIn(generation.output)].filter(
        (path) => path !== output.path,
      ),
    ),
  });

/** The output goes. Who renders, edits or finalizes it meanwhile writes for nothing, until the lease ends. */
export const cancelled = (generation: Generation, moment: Moment, by: string): Generation =>
  next(generation, moment, {
    ...{ status: 'CANCELLED', editStatus: 'LOCKED', output: undefined },
    ...{ cancelledAt: moment.at, cancelledBy: by },
    ...left(moment, [
      ...attempted(generation),
      ...storedIn(generation.output),
      finalPath(generation),
    ]),
  });

/** What remained of it is deleted. */
export const cleaned = (generation: Generation, moment: Moment): Generation =>
  next(generation, moment, { remains: undefined });

/** Files that are deleted at once, and again when no call can write them any more. */
const left = ({ machineMs }: Moment, paths: readonly string[]): Partial<Generation> => ({
  remains: some(paths),
  leaseUntil: machineMs + LEASE_MS,
});

const storedIn = (output: Output | undefined): string[] =>
  output ? [output.path, ...(output.locksPath ? [output.locksPath] : [])] : [];

const some = (paths: readonly string[]): readonly string[] | undefined =>
  paths.length > 0 ? [...new Set(paths)] : undefined;

/** Files that renderings up to now may have written. */
const attempted = (generation: Generation): readonly string[] => [
  ...(generation.remains ?? []),
  ...attemptFiles(generation),
];

/** Files that the newest rendering writes. */
export function attemptFiles(generation: Generation): readonly string[] {
  const { attempt, format } = generation;
  if (attempt === 0) return [];
  const path = outputPath(generation, attempt);
  return [
    path,
    ...(format === 'PDF' ? [printedPath(path)] : []),
    ...(format === 'DOCX' ? [locksPath(generation, attempt)] : []),
  ];
}
