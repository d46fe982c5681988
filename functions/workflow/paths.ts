/** Path of everything about cases and their definitions. */
export const CMMN_PATH = '/api/v1/workflow/cmmn';
