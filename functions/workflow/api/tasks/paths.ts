import { CMMN_PATH } from '../../paths.ts';

/** Path of tasks. */
export const TASKS_PATH = '/api/v1/tasks';
/** Path under which clients of the engine complete tasks. */
export const ENGINE_TASKS_PATH = `${CMMN_PATH}/tasks`;
/** Heading of everything about tasks in the API description. */
export const TASKS_TAG = 'Tasks';
