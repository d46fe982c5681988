import { paint } from '../terminal/output.ts';

/** One event of a function's log. */
export interface LogEvent {
  readonly module: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly message: string;
}

const runtimeLine = /^(START|END|REPORT|INIT_START) /;
/** Members of log lines that are constant on one machine. */
const quietMembers = new Set([
  'level',
  'message',
  'timestamp',
  'service',
  'module',
  'sampling_rate',
  'cold_start',
  'function_arn',
  'function_memory_size',
  'function_name',
  'function_request_id',
  'xray_trace_id',
  'method',
  'route',
  'path',
  'status',
  'ms',
]);

/** Formats a log event as one line; undefined for lines of the runtime and metrics. */
export function formatLogEvent({ module, timestamp, message }: LogEvent): string | undefined {
  const text = message.trim();
  if (text === '' || runtimeLine.test(text)) return undefined;
  const entry = parseEntry(text);
  if (entry && '_aws' in entry) return undefined;
  const time = new Date(timestamp).toTimeString().slice(0, 8);
  const head = `${paint('dim', time)} ${paint('cyan', module.padEnd(10))}`;
  return `${head} ${entry ? formatEntry(entry) : text}`;
}

function formatEntry(entry: Readonly<Record<string, unknown>>): string {
  const level = String(entry.level ?? 'INFO');
  const rest = Object.entries(entry)
    .filter(([key, value]) => !quietMembers.has(key) && value !== undefined && value !== '')
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const mark = level === 'INFO' ? '' : `${paint(level === 'WARN' ? 'yellow' : 'red', level)} `;
  return `${mark}${headline(entry)} ${paint('dim', rest)}`.trimEnd();
}

function headline(entry: Readonly<Record<string, unknown>>): string {
  const { status, ms, message } = entry;
  if (typeof status !== 'number') return String(message ?? '');
  const target = [entry.method, entry.path ?? entry.route].filter(Boolean).join(' ');
  const coloured = paint(status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green', `${status}`);
  return `${target || String(message ?? '')} ${coloured}${typeof ms === 'number' ? ` ${Math.round(ms)} ms` : ''}`;
}

function parseEntry(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
