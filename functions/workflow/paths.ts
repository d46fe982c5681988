/** Path of everything about cases and their definitions. */
export const CMMN_PATH = '/api/v1/workflow/cmmn';
/** Path of processes and their definitions. */
export const PROCESS_PATH = '/api/v1/process-instance';
/** Path of what is tried without storing anything. */
export const PREVIEW_PATH = '/api/v1/preview';
