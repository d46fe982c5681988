import { InvokeCommand, LambdaClient, TooManyRequestsException } from '@aws-sdk/client-lambda';
import { waitingLimits } from '../../../shared/primitives/request-limits.ts';
import type { EngineCall } from './engine-call.ts';
import { EngineBusy, type EngineFunction, EngineLate } from './pdf-converter.ts';

/** Time for the way to the function and back (ms). */
const WAY_MS = 1_000;

/** Calls an engine's function; a file of its own, so that it is loaded with the first document only. */
export class LambdaEngine implements EngineFunction {
  readonly #functionName: string;

  constructor(functionName: string) {
    this.#functionName = functionName;
  }

  async invoke(call: EngineCall): Promise<unknown> {
    const client = new LambdaClient(waitingLimits(call.limitMs + WAY_MS));
    try {
      const { FunctionError, Payload } = await client.send(
        new InvokeCommand({ FunctionName: this.#functionName, Payload: JSON.stringify(call) }),
      );
      const text = Payload?.transformToString() ?? '';
      if (FunctionError === undefined) return JSON.parse(text);
      // The function was ended at its time limit.
      if (/timed out/i.test(text)) throw new EngineLate(text);
      throw new Error(`The function of the engine failed: ${text.slice(0, 500)}`);
    } catch (cause) {
      throw meaningOf(cause);
    } finally {
      client.destroy();
    }
  }
}

function meaningOf(cause: unknown): unknown {
  if (cause instanceof TooManyRequestsException) return new EngineBusy(cause.message, { cause });
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new EngineLate(cause.message, { cause });
  }
  return cause;
}
