export { CMMN_PATH } from '../paths.ts';
