import type { LambdaClient } from '@aws-sdk/client-lambda';
import { DISPATCH_TASK, type DispatchResult } from '../../../shared/messaging/dispatcher.ts';
import type { ListenerFunctions } from '../dispatch-service.ts';

/** Calls the functions that hold listeners; the client is loaded with the first call. */
export function lambdaListenerFunctions(): ListenerFunctions {
  let connected: Promise<{ sdk: typeof import('@aws-sdk/client-lambda'); client: LambdaClient }>;
  return {
    async dispatch(functionName, message) {
      connected ??= import('@aws-sdk/client-lambda').then((sdk) => ({
        sdk,
        client: new sdk.LambdaClient({}),
      }));
      const { sdk, client } = await connected;
      const { FunctionError, Payload } = await client.send(
        new sdk.InvokeCommand({
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
