import type { Log, LogFacts } from '../../../shared/primitives/log.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';

/** One line of a captured log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly traceId: string;
  readonly [fact: string]: unknown;
}

/** A log that keeps its lines. */
export interface CapturedLog extends Log {
  readonly lines: LogLine[];
  /** Lines with a message. */
  named(message: string): LogLine[];
  /** Everything that was logged as one text, errors with message and stack. */
  text(): string;
}

/** Makes an empty log. */
export function capturedLog(): CapturedLog {
  const lines: LogLine[] = [];
  const write =
    (level: LogLine['level']) =>
    (message: string, facts: LogFacts = {}): void => {
      lines.push({ ...facts, level, message, traceId: requestContext().traceId });
    };
  return {
    lines,
    named: (message) => lines.filter((line) => line.message === message),
    text: () => JSON.stringify(lines, showErrors),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

function showErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}
