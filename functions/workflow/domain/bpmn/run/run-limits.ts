import { ProcessError } from '../model/process-error.ts';
import type { WaitContent } from './engine-messages.ts';

/** Elements that one command may enter or leave out. */
export const MAX_ELEMENTS_ENTERED = 1_000;
/** Instances that an activity may have at once, or one after another. */
export const MAX_INSTANCES = 200;

/** A process that never waits. */
export const endless = (): ProcessError =>
  new ProcessError(
    'ENGINE_LOOP',
    `The process does not come to rest: more than ${MAX_ELEMENTS_ENTERED} elements are entered.`,
  );

/** @throws ProcessError `COLLECTION_TOO_LARGE` */
export function requireFew(count: number, content: WaitContent | undefined): void {
  if (count <= MAX_INSTANCES) return;
  const message = `A collection has at most ${MAX_INSTANCES} elements; that of ${content?.id ?? ''} has ${count}.`;
  throw new ProcessError('COLLECTION_TOO_LARGE', message, { elementId: content?.id });
}
