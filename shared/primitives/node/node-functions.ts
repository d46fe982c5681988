/**
 * Functions of `node:util` and `node:net`. An import of these modules reads every export as it links, and some of
 * them load worker threads and argument parsers (a twentieth of a cold start); this reads the functions alone.
 */
export const { promisify } = process.getBuiltinModule('node:util');
export const { isIP } = process.getBuiltinModule('node:net');
