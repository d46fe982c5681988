import { Logger } from '@aws-lambda-powertools/logger';
import type { Log, LogFacts } from '../primitives/log.ts';
import { requestContext } from '../primitives/request-context.ts';
import { maskSentence } from '../security/secret-text.ts';

const MAX_STACK_LINES = 12;
/** More of a message is not looked at. */
const MAX_MESSAGE = 2_000;

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

/**
 * Name, message and stack of an error and of its causes; no other properties (tokens, claims, items). The message comes
 * from anywhere, also from code of a host: what may be a secret in it is masked.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return maskSentence(String(error).slice(0, 500));
  return {
    name: error.name,
    message: maskSentence(error.message.slice(0, MAX_MESSAGE)),
    stack: framesOf(error),
    ...(error.cause === undefined || depth === 3
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** The frames of a stack, without the message in front of them. */
function framesOf({ stack }: Error): string | undefined {
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return frames?.slice(0, MAX_STACK_LINES - 1).join('\n');
}
