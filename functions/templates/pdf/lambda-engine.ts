import {
  InvokeCommand,
  type InvokeCommandOutput,
  LambdaClient,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import { waitingLimits } from '../../../shared/primitives/request-limits.ts';
import type { EngineCall } from './engine-call.ts';
import { EngineBusy, type EngineFunction, EngineLate } from './pdf-converter.ts';

/** Time for the way to the function and back (ms). */
const WAY_MS = 1_000;
/** Longer than any call takes: each has a limit of its own (ms). */
const LONGEST_MS = 60_000;
/** How a connection ends that was kept from an earlier call. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

/** Calls an engine's function; a file of its own, so that it is loaded with the first document only. */
export class LambdaEngine implements EngineFunction {
  readonly #functionName: string;
  readonly #client = new LambdaClient(waitingLimits(LONGEST_MS));

  constructor(functionName: string) {
    this.#functionName = functionName;
  }

  async invoke(call: EngineCall): Promise<unknown> {
    try {
      const { FunctionError, Payload } = await this.#send(call);
      const text = Payload?.transformToString() ?? '';
      if (FunctionError === undefined) return JSON.parse(text);
      // The function was ended at its time limit.
      if (/timed out/i.test(text)) throw new EngineLate(text);
      throw new Error(`The function of the engine failed: ${text.slice(0, 500)}`);
    } catch (cause) {
      throw meaningOf(cause);
    }
  }

  /** Once more where the connection was closed meanwhile: to print the same document twice changes nothing. */
  async #send(call: EngineCall): Promise<InvokeCommandOutput> {
    const send = () =>
      this.#client.send(
        new InvokeCommand({ FunctionName: this.#functionName, Payload: JSON.stringify(call) }),
        { requestTimeout: call.limitMs + WAY_MS },
      );
    const begin = Date.now();
    return send().catch((cause: unknown) => {
      const isOld = CLOSED.includes(codeOf(cause)) && Date.now() - begin < WAY_MS;
      if (isOld) return send();
      throw cause;
    });
  }
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : '';

function meaningOf(cause: unknown): unknown {
  if (cause instanceof TooManyRequestsException) return new EngineBusy(cause.message, { cause });
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new EngineLate(cause.message, { cause });
  }
  return cause;
}
