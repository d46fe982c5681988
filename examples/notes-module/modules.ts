import { notes } from './declaration.ts';

/** The modules that the application adds to those of the platform. */
export default [notes];
