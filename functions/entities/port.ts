import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { bindPort, readPort, writePort } from '../../shared/module/bind-port.ts';
import type { RecordMerging, RecordReading, RecordWriting } from '../../shared/ports/records.ts';
import { once, onDemand } from '../../shared/primitives/once.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import { encryptionPort, encryptionProblems } from '../settings/port.ts';
import type { EntitiesConfig } from './configuration.ts';
import { problems } from './errors.ts';

type Context = ServiceContext<EntitiesConfig>;

const READ_PROBLEMS = [problems.entityNotFound, problems.recordNotFound, ...encryptionProblems];

export { dynamicSection, type EntitiesConfig } from './configuration.ts';

/** Records as the caller's own GET shows them. */
export const recordsPort = readPort({
  name: 'entities.records',
  problems: [
    ...READ_PROBLEMS,
    problems.invalidCursor,
    problems.pageWindowExceeded,
    problems.sortNeedsIndex,
  ],
  create: readRecords,
});

/** Records that are written in the unit of work of another module. */
export const recordWritesPort = writePort({
  name: 'entities.record-writes',
  problems: [
    ...READ_PROBLEMS,
    problems.recordExists,
    problems.referenceNotFound,
    problems.referenced,
    problems.uniqueViolation,
    problems.hasChildren,
    problems.hierarchyCycle,
    problems.hierarchyTooDeep,
    problems.definitionChanged,
    problems.preconditionRequired,
    problems.deletionInProgress,
    httpProblems.versionConflict,
    httpProblems.unitTooLarge,
  ],
  create: writeRecords,
});

/** Records that are changed for users whose right comes from elsewhere, such as a workflow task. */
export const recordMergesPort = writePort({
  name: 'entities.record-merges',
  problems: [
    ...encryptionProblems,
    problems.referenceNotFound,
    problems.uniqueViolation,
    problems.definitionChanged,
    problems.deletionInProgress,
    httpProblems.unitTooLarge,
  ],
  create: mergeRecords,
});

/** A function that binds a port reads the code of records with the first call. */
function readRecords(context: Context): RecordReading {
  const load = once(async () => {
    const { recordReading } = await import('./port-calls.ts');
    return { records: recordReading(context, bindPort(encryptionPort, context).use()) };
  });
  return onDemand(load, 'records', 'get', 'requireEditable', 'list');
}

function writeRecords(context: Context): RecordWriting {
  const load = once(async () => {
    const { recordWriting } = await import('./port-calls.ts');
    return { records: recordWriting(context, bindPort(encryptionPort, context).use()) };
  });
  return onDemand(load, 'records', 'create', 'update', 'delete');
}

function mergeRecords(context: Context): RecordMerging {
  const load = once(async () => {
    const { recordMerging } = await import('./port-merges.ts');
    return { records: recordMerging(context, bindPort(encryptionPort, context).use()) };
  });
  return onDemand(load, 'records', 'merge', 'secretFields');
}
