import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { parseTimer } from '../../cmmn/time/timer-expression.ts';
import { ProcessError } from '../model/process-error.ts';

/** When a timer of an element is due. @throws ProcessError `EXPRESSION_ERROR` for what is neither duration nor date */
export function dueAt(elementId: string, text: string, now: number): string {
  const timer = parseTimer(text, now);
  if (timer && timer.every === undefined) return timer.dueAt;
  const message = `The time "${shown(text)}" of ${elementId} is neither duration nor date.`;
  throw new ProcessError('EXPRESSION_ERROR', message, { elementId });
}
