import { wholeApiDescription } from '../../../bin/dev/openapi.ts';
import type {
  OpenApiDocument,
  OperationObject,
  Reference,
  ResponseObject,
} from '../../../shared/openapi/document.ts';

/** The document of every module there is, made once. */
export const whole = wholeApiDescription();

/** Every operation with its path and method. */
export function operations(document: OpenApiDocument = whole) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** The answers of an operation by status, references followed. */
export function responsesOf({ responses }: OperationObject): [string, ResponseObject][] {
  return Object.entries(responses).map(([status, entry]) => [status, follow(entry)]);
}

/** What a reference points to; anything else as it is. */
export function follow<T>(entry: T | Reference, document: OpenApiDocument = whole): T {
  if (typeof entry !== 'object' || entry === null || !('$ref' in entry)) return entry as T;
  const [kind = '', name = ''] = entry.$ref.slice('#/components/'.length).split('/');
  return document.components[kind]?.[name] as T;
}
