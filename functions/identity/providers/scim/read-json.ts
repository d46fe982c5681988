import { isUtf8 } from 'node:buffer';
import type { HttpAnswer } from '../../../../shared/http-client/contract.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import { SourceError } from '../source-error.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** The JSON object of an answer. @throws SourceError `BAD_ANSWER` */
export function readJson({ headers, body, status }: HttpAnswer): Resource {
  const bad = (message: string) => new SourceError('BAD_ANSWER', message, { status });
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw bad('The answer of the source is no JSON');
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw bad('The answer of the source is no JSON object');
  }
  return value as Resource;
}

/** The same, where an answer that is none means nothing. */
export function tryJson(answer: HttpAnswer): Resource {
  try {
    return readJson(answer);
  } catch {
    return {};
  }
}

function parsed(body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** A member that is an object. */
export const objectAt = (resource: Resource, name: string): Resource => {
  const value = resource[name];
  return typeof value === 'object' && value !== null ? (value as Resource) : {};
};
