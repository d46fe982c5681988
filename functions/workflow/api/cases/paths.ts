import { CMMN_PATH } from '../../paths.ts';

/** Path of cases. */
export const CASES_PATH = `${CMMN_PATH}/cases`;
/** Heading of everything about cases in the API description. */
export const CASES_TAG = 'Cases';
