import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of memory that are in use once all others are let go of. */
export function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
