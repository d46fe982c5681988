import { isTerminal } from '../../model/transition.ts';
import { type Container, isEnded } from './live-case.ts';
import { touch, touchCase } from './live-tree.ts';
import { emit, factsOf, type Run } from './run.ts';

/**
 * Notes whether a person may complete the case or stage now. The command can change it more than once: hosts are told
 * at its end, when it differs from what they know.
 * @returns whether the flag has changed
 */
export function setCompletable(run: Run, container: Container, isCompletable: boolean): boolean {
  const before = container.completable ?? false;
  if (before === isCompletable) return false;
  if (!run.completableBefore.has(container)) run.completableBefore.set(container, before);
  container.completable = isCompletable;
  if (container.isCase) touchCase(container);
  else touch(container);
  return true;
}

/** Tells which cases and stages have become completable or are so no longer; not of those that have ended. */
export function tellCompletable(run: Run): void {
  for (const [container, before] of run.completableBefore) {
    const isCompletable = container.completable ?? false;
    if (isCompletable === before) continue;
    if (container.isCase) {
      if (isEnded(container)) continue;
      emit(run, container, { type: 'caseCompletableChanged', isCompletable });
    } else if (!isTerminal(container.state)) {
      const facts = factsOf(container);
      emit(run, container.caseInstance, {
        type: 'stageCompletableChanged',
        ...facts,
        isCompletable,
      });
    }
  }
}
