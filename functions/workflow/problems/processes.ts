import { defineProblems } from '../../../shared/problems/problem.ts';
import { engineRefusal } from './engine-refusal.ts';

/** Problems of processes. */
export const processProblems = defineProblems({
  processDefinitionNotFound: {
    code: 'PROCESS_DEFINITION_NOT_FOUND',
    status: 404,
    title: 'Process definition not found',
    describe: ({ process, version }: { process: string; version?: number | undefined }) =>
      version === undefined
        ? `There is no process ${process} that is visible to the caller.`
        : `The process ${process} has no version ${version} that is visible to the caller.`,
  },
  processCodeTaken: {
    code: 'PROCESS_CODE_TAKEN',
    status: 409,
    title: 'Code or key belongs to another process',
    describe: ({ code, processKey }: { code: string; processKey: string }) =>
      `The versions of ${code} are those of one process, and those of the process ${processKey} have one code.`,
  },
  processNotFound: {
    code: 'PROCESS_NOT_FOUND',
    status: 404,
    title: 'Process instance not found',
    describe: ({ id }: { id: string }) =>
      `There is no process instance ${id} that is visible to the caller.`,
  },
  processNotActive: {
    code: 'PROCESS_NOT_ACTIVE',
    status: 409,
    title: 'Process instance does not accept this in its state',
    describe: ({ id, state }: { id: string; state: string }) => ({
      detail: `The process instance ${id} is ${state}.`,
      extensions: { state },
    }),
  },
  processNotEnded: {
    code: 'PROCESS_NOT_ENDED',
    status: 409,
    title: 'Process instance has not ended',
    describe: ({ id }: { id: string }) =>
      `The process instance ${id} has not ended; terminate it first.`,
  },
  processResultAwaited: {
    code: 'PROCESS_RESULT_AWAITED',
    status: 409,
    title: 'A case has yet to take over what the process has left',
    describe: ({ id, caseInstanceId }: { id: string; caseInstanceId: string }) =>
      `The case ${caseInstanceId} waits for the process instance ${id} and has not been told of its end; a suspended case is told when it is resumed.`,
  },
  activityNotWaiting: engineRefusal('ACTIVITY_NOT_WAITING', 409, 'No execution waits for this'),
  ambiguousActivity: engineRefusal('AMBIGUOUS_ACTIVITY', 409, 'Several executions wait for this'),
  processFailed: engineRefusal('PROCESS_FAILED', 422, 'The process cannot continue'),
  processTooLarge: engineRefusal('PROCESS_TOO_LARGE', 422, 'Process would become too large'),
});
