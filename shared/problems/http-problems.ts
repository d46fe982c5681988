import { defineProblems, type ProblemItem } from './problem.ts';

const bearer = (error?: string) => ({
  'www-authenticate': error ? `Bearer error="${error}"` : 'Bearer',
});

/** The problems of the request pipeline: the same for every module. */
export const httpProblems = defineProblems({
  validationFailed: {
    code: 'VALIDATION_FAILED',
    status: 400,
    title: 'The body is not valid',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: `The body breaks ${errors.length === 1 ? 'one rule' : `${errors.length} rules`}: ${summarise(errors)}`,
      errors,
    }),
  },
  unknownField: {
    code: 'UNKNOWN_FIELD',
    status: 400,
    title: 'The body has a field that is not known',
    describe: (errors: readonly ProblemItem[]) => ({ detail: summarise(errors), errors }),
  },
  invalidParameter: {
    code: 'INVALID_PARAMETER',
    status: 400,
    title: 'A parameter is not valid',
    describe: (errors: readonly ProblemItem[]) => ({ detail: summarise(errors), errors }),
  },
  invalidMultipart: {
    code: 'INVALID_MULTIPART',
    status: 400,
    title: 'The body is not a form of multipart/form-data',
  },
  invalidJson: { code: 'INVALID_JSON', status: 400, title: 'The body is not JSON' },
  unauthenticated: {
    code: 'UNAUTHENTICATED',
    status: 401,
    title: 'A valid token is needed',
    describe: ({ detail, error }: { detail: string; error?: string }) => ({
      detail,
      headers: bearer(error),
    }),
  },
  forbidden: {
    code: 'FORBIDDEN',
    status: 403,
    title: 'This is not allowed',
    describe: ({ permission }: { permission?: string }) =>
      permission ? `The permission ${permission} is needed.` : 'The caller may not do this.',
  },
  routeNotFound: {
    code: 'ROUTE_NOT_FOUND',
    status: 404,
    title: 'There is no such path',
    describe: ({ method, path }: { method: string; path: string }) =>
      `Nothing answers ${method} ${path}.`,
  },
  methodNotAllowed: {
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    title: 'The path does not know this method',
    describe: ({
      method,
      path,
      allowed,
    }: {
      method: string;
      path: string;
      allowed: readonly string[];
    }) => ({
      detail: `${path} answers ${allowed.join(', ')}, not ${method}.`,
      headers: { allow: allowed.join(', ') },
    }),
  },
  versionConflict: {
    code: 'VERSION_CONFLICT',
    status: 412,
    title: 'The resource has another version',
    describe: ({ expected, actual }: { expected?: string; actual?: number }) => ({
      detail:
        actual === undefined
          ? 'The resource does not exist, so it has no version to match.'
          : `The version is ${actual}${expected === undefined ? '' : `, not ${expected}`}; read it again.`,
      extensions: actual === undefined ? {} : { currentVersion: actual },
    }),
  },
  concurrentUpdate: {
    code: 'CONCURRENT_UPDATE',
    status: 409,
    title: 'Others changed the same resource at the same time',
    describe: () => ({
      detail: 'The change lost against others several times in a row; try again.',
      headers: { 'retry-after': '1' },
    }),
  },
  payloadTooLarge: {
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    title: 'The body is too large',
    describe: ({ maxBytes }: { maxBytes: number }) => ({
      detail: `At most ${maxBytes} bytes are accepted here.`,
      extensions: { maxBytes },
    }),
  },
  unsupportedMediaType: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    title: 'The content type is not accepted',
    describe: ({ accepted }: { accepted: readonly string[] }) => ({
      detail: `Send ${accepted.join(' or ')}.`,
      headers: { accept: accepted.join(', ') },
    }),
  },
  idempotencyKeyReused: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    describe: () => 'The key was used within the last 24 hours with another body.',
  },
  unitTooLarge: {
    code: 'UNIT_TOO_LARGE',
    status: 422,
    title: 'Too many changes at once',
    describe: (excess: { count: number; max: number } | { bytes: number; maxBytes: number }) =>
      'count' in excess
        ? `${excess.count} items would change together, at most ${excess.max} can; split the request.`
        : `The items that would change together have ${excess.bytes} bytes, at most ${excess.maxBytes} can; split the request.`,
  },
  answerTooLarge: {
    code: 'ANSWER_TOO_LARGE',
    status: 422,
    title: 'The answer is too large',
    describe: ({
      sizeBytes,
      maxBytes,
      remedy,
    }: {
      sizeBytes: number;
      maxBytes: number;
      remedy: string;
    }) => ({
      detail:
        `The answer has ${sizeBytes} bytes, at most ${maxBytes} can be sent. ${remedy}`.trim(),
      extensions: { sizeBytes, maxBytes },
    }),
  },
  authKeysUnavailable: {
    code: 'AUTH_KEYS_UNAVAILABLE',
    status: 503,
    title: 'The token cannot be checked at the moment',
    describe: () => ({
      detail: "The issuer's keys cannot be fetched; try again.",
      headers: { 'retry-after': '5' },
    }),
  },
  serviceUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    title: 'A part of the service does not answer',
    describe: () => ({
      detail: 'A part of the service is busy or cannot be reached; try again.',
      headers: { 'retry-after': '1' },
    }),
  },
  internalError: { code: 'INTERNAL_ERROR', status: 500, title: 'Something went wrong inside' },
});

function summarise(errors: readonly ProblemItem[]): string {
  return errors
    .slice(0, 3)
    .map(({ pointer, parameter, detail }) => `${parameter ?? (pointer || 'body')} ${detail}`)
    .join('; ')
    .concat(errors.length > 3 ? '; ...' : '');
}
