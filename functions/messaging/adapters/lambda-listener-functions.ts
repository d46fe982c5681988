import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DISPATCH_TASK,
  type DispatchResult,
} from '../../../shared/messaging/consuming/dispatcher.ts';
import { waitingLimits } from '../../../shared/primitives/request-limits.ts';
import type { ListenerFunctions } from '../dispatch-service.ts';

/** Time limit of a listener call: slightly below the time-out of the calling function. */
const ANSWER_MS = 26_000;

/** Invokes the functions of listeners and waits for their results. */
export function lambdaListenerFunctions(): ListenerFunctions {
  const client = new LambdaClient(waitingLimits(ANSWER_MS));
  return {
    async dispatch(functionName, message) {
      const { FunctionError, Payload } = await client.send(
        new InvokeCommand({
          FunctionName: functionName,
          Payload: JSON.stringify({ task: DISPATCH_TASK, input: message }),
        }),
      );
      const text = Payload?.transformToString() ?? '';
      if (FunctionError)
        throw new Error(`The function of a listener failed: ${text.slice(0, 300)}`);
      return JSON.parse(text) as readonly DispatchResult[];
    },
  };
}
