import type { PutEventsCommand, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge';
import { once } from '../../primitives/once.ts';

/** A client of the event bus. */
export interface Bus {
  send(
    command: PutEventsCommand,
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<PutEventsCommandOutput>;
}

/** The event bus of this account; the client is loaded with the first event. */
export function createBus(): Bus {
  const client = once(async () => (await import('./bus-client.ts')).createBusClient());
  return { send: async (command, options) => (await client()).send(command, options) };
}
