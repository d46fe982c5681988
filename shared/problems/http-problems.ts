import { defineProblems, type ProblemItem } from './problem.ts';

const bearer = (error?: string) => ({
  'www-authenticate': error ? `Bearer error="${error}"` : 'Bearer',
});

/** The problems of the request pipeline: the same for every module. */
export const httpProblems = defineProblems({
  validationFailed: {
    code: 'VALIDATION_FAILED',
    status: 400,
    title: 'Invalid request body',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: `The request body has ${errors.length === 1 ? '1 error' : `${errors.length} errors`}: ${summarise(errors)}`,
      errors: firstOf(errors),
    }),
  },
  unknownField: {
    code: 'UNKNOWN_FIELD',
    status: 400,
    title: 'Unknown field in the request body',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: summarise(errors),
      errors: firstOf(errors),
    }),
  },
  invalidParameter: {
    code: 'INVALID_PARAMETER',
    status: 400,
    title: 'Invalid parameter',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: summarise(errors),
      errors: firstOf(errors),
    }),
  },
  invalidMultipart: {
    code: 'INVALID_MULTIPART',
    status: 400,
    title: 'Request body is not valid multipart/form-data',
  },
  invalidJson: { code: 'INVALID_JSON', status: 400, title: 'Request body is not valid JSON' },
  unauthenticated: {
    code: 'UNAUTHENTICATED',
    status: 401,
    title: 'A valid access token is required',
    describe: ({ detail, error }: { detail: string; error?: string }) => ({
      detail,
      headers: bearer(error),
    }),
  },
  forbidden: {
    code: 'FORBIDDEN',
    status: 403,
    title: 'Access denied',
    describe: ({ permission }: { permission?: string }) =>
      permission
        ? `The permission ${permission} is required.`
        : 'The caller is not allowed to do this.',
  },
  edgeRequired: {
    code: 'EDGE_REQUIRED',
    status: 403,
    title: 'Request did not come through the edge',
    describe: () => 'Send requests to the address of CloudFront, not to that of the gateway.',
  },
  routeNotFound: {
    code: 'ROUTE_NOT_FOUND',
    status: 404,
    title: 'Path not found',
    describe: ({ method, path }: { method: string; path: string }) =>
      `No route matches ${method} ${path}.`,
  },
  methodNotAllowed: {
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    title: 'Method not allowed',
    describe: ({
      method,
      path,
      allowed,
    }: {
      method: string;
      path: string;
      allowed: readonly string[];
    }) => ({
      detail: `${path} supports ${allowed.join(', ')}, not ${method}.`,
      headers: { allow: allowed.join(', ') },
    }),
  },
  versionConflict: {
    code: 'VERSION_CONFLICT',
    status: 412,
    title: 'Version conflict',
    describe: ({ expected, actual }: { expected?: string; actual?: number }) => ({
      detail:
        actual === undefined
          ? 'The resource does not exist, so no version matches.'
          : `The current version is ${actual}${expected === undefined ? '' : `, not ${expected}`}; read the resource again.`,
      extensions: actual === undefined ? {} : { currentVersion: actual },
    }),
  },
  concurrentUpdate: {
    code: 'CONCURRENT_UPDATE',
    status: 409,
    title: 'Concurrent update',
    describe: () => ({
      detail: 'Too many concurrent updates; retry.',
      headers: { 'retry-after': '1' },
    }),
  },
  payloadTooLarge: {
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    title: 'Request body too large',
    describe: ({ maxBytes, detail }: { maxBytes: number; detail?: string }) => ({
      detail: detail ?? `At most ${maxBytes} bytes are accepted.`,
      extensions: { maxBytes },
    }),
  },
  unsupportedMediaType: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    title: 'Unsupported media type',
    describe: ({ accepted }: { accepted: readonly string[] }) => ({
      detail: `Content-Type must be ${accepted.join(' or ')}.`,
      headers: { accept: accepted.join(', ') },
    }),
  },
  idempotencyKeyReused: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
    title: 'Idempotency-Key was used for another request',
    describe: () => 'The key was used within the last 24 hours with a different body.',
  },
  moduleOff: {
    code: 'MODULE_OFF',
    status: 422,
    title: 'A required module is switched off',
    describe: ({ port }: { port: string }) => ({
      detail: `The request needs ${port} of another module, which is switched off here.`,
      extensions: { port },
    }),
  },
  unitTooLarge: {
    code: 'UNIT_TOO_LARGE',
    status: 422,
    title: 'Too many changes in one transaction',
    describe: ({
      writes,
      maxWrites,
      ...size
    }: {
      writes: number;
      maxWrites: number;
      bytes?: number;
      maxBytes?: number;
    }) => ({
      detail:
        writes > maxWrites
          ? `The request changes ${writes} items in one transaction; the limit is ${maxWrites}. Split the request.`
          : `The request changes ${size.bytes} bytes in one transaction; the limit is ${size.maxBytes}. Split the request.`,
      extensions: { writes, maxWrites, ...size },
    }),
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
    title: 'Token cannot be verified at the moment',
    describe: () => ({
      detail: "The issuer's keys cannot be fetched; retry.",
      headers: { 'retry-after': '5' },
    }),
  },
  serviceUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    title: 'Service temporarily unavailable',
    describe: () => ({
      detail: 'A backend service is busy or unreachable; retry.',
      headers: { 'retry-after': '1' },
    }),
  },
  internalError: { code: 'INTERNAL_ERROR', status: 500, title: 'Internal server error' },
});

/** Most violations that an answer lists: a small body can have hundreds of thousands. */
const MAX_LISTED = 100;
/** Most characters of a name in a summary, and of one that is listed: the caller chooses the length. */
const MAX_SHOWN = 200;
const MAX_NAME = 1_000;

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max)}...`.toWellFormed() : text;

function firstOf(errors: readonly ProblemItem[]): readonly ProblemItem[] {
  return errors.slice(0, MAX_LISTED).map(({ pointer, parameter, ...rule }) => ({
    ...(pointer !== undefined && { pointer: cut(pointer, MAX_NAME) }),
    ...(parameter !== undefined && { parameter: cut(parameter, MAX_NAME) }),
    ...rule,
  }));
}

function summarise(errors: readonly ProblemItem[]): string {
  return errors
    .slice(0, 3)
    .map(
      ({ pointer, parameter, detail }) =>
        `${cut(parameter ?? (pointer || 'body'), MAX_SHOWN)} ${detail}`,
    )
    .join('; ')
    .concat(errors.length > 3 ? '; ...' : '');
}
