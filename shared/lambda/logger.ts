import { Logger } from '@aws-lambda-powertools/logger';
import type { Log, LogFacts } from '../primitives/log.ts';
import { requestContext } from '../primitives/request-context.ts';

const MAX_STACK_LINES = 12;

/** The log of a function: JSON lines on standard output, each with module and traceId. */
export function createLog(module: string): Log {
  const logger = new Logger({ serviceName: `svc-cloud-${module}` });
  const facts = ({ cause, ...rest }: LogFacts = {}) => ({
    module,
    traceId: requestContext().traceId,
    ...rest,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  });
  return {
    debug: (message, more) => logger.debug(message, facts(more)),
    info: (message, more) => logger.info(message, facts(more)),
    warn: (message, more) => logger.warn(message, facts(more)),
    error: (message, more) => logger.error(message, facts(more)),
  };
}

/** Name, message and stack of an error and of its causes; no other properties (tokens, claims, items). */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error).slice(0, 500);
  return {
    name: error.name,
    message: error.message,
    stack: error.stack?.split('\n').slice(1, MAX_STACK_LINES).join('\n'),
    ...(error.cause === undefined || depth === 3
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}
