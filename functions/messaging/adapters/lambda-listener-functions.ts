import {
  DISPATCH_TASK,
  type DispatchResult,
} from '../../../shared/messaging/consuming/dispatcher.ts';
import { once } from '../../../shared/primitives/once.ts';
import type { ListenerFunctions } from '../dispatch-service.ts';

/** Time limit of a listener call: slightly below the time-out of the calling function. */
const ANSWER_MS = 26_000;

/** Invokes the functions of listeners and waits for their results; the client is loaded with the first call. */
export function lambdaListenerFunctions(): ListenerFunctions {
  const client = once(
    async () => new (await import('./lambda-client.ts')).FunctionClient(ANSWER_MS),
  );
  return {
    async dispatch(functionName, message) {
      const { hasFailed, text } = await (await client()).invoke(
        functionName,
        JSON.stringify({ task: DISPATCH_TASK, input: message }),
      );
      if (hasFailed) throw new Error(`The function of a listener failed: ${text.slice(0, 300)}`);
      return JSON.parse(text) as readonly DispatchResult[];
    },
  };
}
