import type * as z from 'zod';
import { HttpClientError } from './http-client-error.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** The parts of a response that checks read. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly origin: string;
}

/** @throws HttpClientError `UNEXPECTED_STATUS`, with the seconds of `Retry-After` */
export function demandSuccess({ status, headers, origin }: Answer): void {
  if (status >= 200 && status < 300) return;
  const seconds = headers['retry-after']?.trim() ?? '';
  throw new HttpClientError('UNEXPECTED_STATUS', `the answer has the status ${status}`, {
    origin,
    status,
    retryAfterSeconds: /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined,
  });
}

/**
 * Parses a body as JSON and validates it against a schema.
 * @throws HttpClientError `UNEXPECTED_CONTENT`; without the details, which contain text of the other system
 */
export function parseJson<S extends z.ZodType>(
  body: Buffer,
  schema: S,
  { status, headers, origin }: Answer,
): z.output<S> {
  const unexpected = (message: string) =>
    new HttpClientError('UNEXPECTED_CONTENT', message, { origin, status });
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!JSON_TYPE.test(type)) throw unexpected('the answer is not of a JSON content type');
  const value = decode(body);
  if (value === undefined) throw unexpected('the answer is not JSON');
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 3).map(({ path }) => `/${path.join('/')}`);
  throw unexpected(`the JSON has another form than expected, at ${places.join(', ')}`);
}

function decode(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
