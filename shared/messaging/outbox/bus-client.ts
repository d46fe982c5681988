import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import { sendLimits } from '../../primitives/request-limits.ts';

/** The event bus; a file of its own, so that it is loaded with the first event only. */
export const createBusClient = (): EventBridgeClient => new EventBridgeClient(sendLimits);

/** The request that puts entries on the bus. */
export const putEventsCommand = (entries: PutEventsRequestEntry[]): PutEventsCommand =>
  new PutEventsCommand({ Entries: entries });
