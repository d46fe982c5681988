import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DISPATCH_TASK,
  type DispatchResult,
} from '../../../shared/messaging/consuming/dispatcher.ts';
import type { ListenerFunctions } from '../dispatch-service.ts';

/** Calls the functions that hold listeners, and waits for their answers. */
export function lambdaListenerFunctions(): ListenerFunctions {
  const client = new LambdaClient({});
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
