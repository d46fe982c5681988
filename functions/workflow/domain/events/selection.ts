/** Sent whatever is chosen: events that the specification names, and messages that do the work of service tasks. */
const ALWAYS: ReadonlySet<string> = new Set([
  'workflow.task.created',
  'workflow.step.completed',
  'workflow.process.completed',
  'workflow.service.requested',
]);

/**
 * Whether an event is sent.
 * @param patterns names, `*` at the end for all that begin so, `!` before those that are left out; the last that fits
 *   counts, and what none fits is not sent.
 */
export function isSent(patterns: readonly string[], topic: string): boolean {
  if (ALWAYS.has(topic)) return true;
  const last = patterns.findLast((pattern) => fits(pattern.replace(/^!/, ''), topic));
  return last !== undefined && !last.startsWith('!');
}

const fits = (pattern: string, topic: string): boolean =>
  pattern.endsWith('*') ? topic.startsWith(pattern.slice(0, -1)) : topic === pattern;
