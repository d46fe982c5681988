import type { Message } from '../wire/event-publisher.ts';
import { MessagingError } from '../wire/messaging-error.ts';
import type { WrittenExpression } from '../wire/topology.ts';

/**
 * Extracts a text from a message: a function, a path (`$.payload.orderId`, `$.headers['x-id']`) or a template
 * (`${topic}-${payload.orderId}`). Paths start at the message: `messageId`, `topic`, `key`, `payload`, `headers`,
 * `source`, `traceId`.
 */
export type MessageExpression<T = unknown> =
  | ((message: Message<T>) => string | undefined)
  | WrittenExpression;

/** Evaluates an expression; `undefined` when the message has no such value. */
export type Evaluate<T> = (message: Message<T>) => string | undefined;

type Path = readonly string[];

const SEGMENT = /^(?:\.?([A-Za-z_@][\w@-]*)|\[(\d+)\]|\['([^']+)'\])/;
const PLACEHOLDER = /\$\{([^}]*)\}/g;

/**
 * Compiles an expression when a listener is registered.
 * @throws MessagingError `MQ_EXPRESSION_INVALID` when the text is neither a path nor a template.
 */
export function compileExpression<T>(expression: MessageExpression<T>): Evaluate<T> {
  if (typeof expression === 'function') return (message) => textOf(expression(message));
  if (typeof expression !== 'string') throw invalid(String(expression));
  if (expression.startsWith('$.')) {
    const path = parsePath(expression.slice(2), expression);
    return (message) => textOf(valueAt(message, path));
  }
  return compileTemplate(expression);
}

function compileTemplate<T>(template: string): Evaluate<T> {
  const paths = new Map(
    [...template.matchAll(PLACEHOLDER)].map(([whole, path = '']) => [
      whole,
      parsePath(path.trim(), template),
    ]),
  );
  if (paths.size === 0) throw invalid(template);
  return (message) => {
    const values = new Map(
      [...paths].map(([whole, path]) => [whole, textOf(valueAt(message, path))]),
    );
    // An id with a missing part would not be unique.
    if ([...values.values()].includes(undefined)) return undefined;
    return template.replace(PLACEHOLDER, (whole) => values.get(whole) ?? '');
  };
}

function parsePath(text: string, expression: string): Path {
  const path: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole = '', name, index, quoted] = SEGMENT.exec(rest) ?? [];
    const segment = name ?? index ?? quoted;
    if (segment === undefined) throw invalid(expression);
    path.push(segment);
    rest = rest.slice(whole.length);
  }
  if (path.length === 0) throw invalid(expression);
  return path;
}

function valueAt(message: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (node, name) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, name)
        ? (node as Record<string, unknown>)[name]
        : undefined,
    message,
  );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function invalid(expression: string): MessagingError {
  return new MessagingError(
    'MQ_EXPRESSION_INVALID',
    `"${expression}" is no expression; write $.payload.id or \${payload.id}`,
  );
}
