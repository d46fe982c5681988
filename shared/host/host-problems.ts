/** Shape of a field of a host. */
export type FieldShape = 'object' | 'function' | 'objects' | 'listeners';

const RULES = {
  object: 'must be an object',
  function: 'must be a function',
  list: 'must be a list',
  text: 'must be a text that is not empty',
};

/**
 * Problems of a host, by field. Without a schema library: every function checks its host as it starts, and
 * some need the library for nothing else.
 */
export function hostProblems(
  host: unknown,
  shapes: Readonly<Record<string, FieldShape>>,
): string[] {
  if (!isObject(host)) return [`host: ${RULES.object}`];
  return Object.entries(host).flatMap(([field, value]) => {
    const shape = Object.hasOwn(shapes, field) ? shapes[field] : undefined;
    if (!shape) return [`${field}: is not a field of a host`];
    return value === undefined ? [] : problemsOf(field, value, shape);
  });
}

function problemsOf(path: string, value: unknown, shape: FieldShape): string[] {
  if (shape === 'function') return unless(typeof value === 'function', path, RULES.function);
  if (shape === 'object') return unless(isObject(value), path, RULES.object);
  if (!Array.isArray(value)) return [`${path}: ${RULES.list}`];
  if (shape === 'objects') {
    return value.flatMap((each, at) => unless(isObject(each), `${path}.${at}`, RULES.object));
  }
  // `brokerListener` returns a list, one entry per topic.
  return value.flat().flatMap((each, at) => listenerProblems(`${path}.${at}`, each));
}

function listenerProblems(path: string, listener: unknown): string[] {
  if (!isObject(listener)) return [`${path}: ${RULES.object}`];
  const { topic, group, handle } = listener;
  return [
    ...unless(isText(topic), `${path}.topic`, RULES.text),
    ...unless(isText(group), `${path}.group`, RULES.text),
    ...unless(typeof handle === 'function', `${path}.handle`, RULES.function),
  ];
}

const unless = (holds: boolean, path: string, rule: string): string[] =>
  holds ? [] : [`${path}: ${rule}`];

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
