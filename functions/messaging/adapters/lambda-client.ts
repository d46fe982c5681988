import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { waitingLimits } from '../../../shared/primitives/request-limits.ts';

/** Calls functions and waits for them; a file of its own, so that it is loaded with the first call only. */
export class FunctionClient {
  readonly #client: LambdaClient;

  /** @param answerMs how long an answer may take. */
  constructor(answerMs: number) {
    this.#client = new LambdaClient(waitingLimits(answerMs));
  }

  async invoke(functionName: string, payload: string) {
    const { FunctionError, Payload } = await this.#client.send(
      new InvokeCommand({ FunctionName: functionName, Payload: payload }),
    );
    return { hasFailed: FunctionError !== undefined, text: Payload?.transformToString() ?? '' };
  }
}
