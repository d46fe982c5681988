import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unreliableBucket } from '../../helpers/service-faults/bucket-faults.ts';
import { takePartly } from '../../helpers/service-faults/bus-faults.ts';
import {
  answered,
  intercept,
  type Send,
  unreachable,
  untilAborted,
} from '../../helpers/service-faults/send.ts';
import { laggingIndex, unreliableTable } from '../../helpers/service-faults/table-faults.ts';

/** What goes wrong with the services that a process calls; each is a share of the calls, from 0 to 1. */
export interface ServiceFaults {
  /** Any call to the table: it is throttled, meets a transaction, or its answer is lost after the work is done. */
  readonly table?: number;
  /** A query of an index answers what it has answered before. */
  readonly lag?: number;
  /** Any call to a bucket: it is throttled, forbidden, finds nothing or fails; as many others are slow. */
  readonly bucket?: number;
  /** A send to the bus or to a queue is never answered. */
  readonly hang?: number;
  /** A send to a queue fails. */
  readonly queue?: number;
  /** Events are refused, requests throttled and broken, and until this instant (epoch ms) nothing is reached. */
  readonly outageUntil?: number;
}

/** Breaks the clients of this process. */
export function breakServices(faults: ServiceFaults, random: () => number): void {
  const { table = 0, lag = 0, bucket = 0, hang = 0, queue = 0, outageUntil } = faults;
  const seed = () => Math.floor(random() * 1_000_000);
  if (lag > 0) intercept(DynamoDBDocumentClient, (send) => laggingIndex(send, lag, random));
  if (table > 0) intercept(DynamoDBDocumentClient, (send) => unreliableTable(send, table, seed()));
  if (bucket > 0) intercept(S3Client, (send) => unreliableBucket(send, bucket, random));
  if (outageUntil !== undefined)
    intercept(EventBridgeClient, (send) => refusing(send, outageUntil, random));
  if (queue > 0) intercept(SQSClient, (send) => failing(send, queue, random));
  if (hang > 0) {
    intercept(EventBridgeClient, (send) => hanging(send, hang, random));
    intercept(SQSClient, (send) => hanging(send, hang, random));
  }
}

/** Ends with the time that the caller gives it. */
function hanging(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    const isSend = command instanceof PutEventsCommand || command instanceof SendMessageCommand;
    if (!isSend || random() >= share) return send(command, options);
    return untilAborted(options?.abortSignal);
  };
}

function failing(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    if (command instanceof SendMessageCommand && random() < share) throw unreachable();
    return send(command, options);
  };
}

function refusing(send: Send, outageUntil: number, random: () => number): Send {
  return async (command, options) => {
    if (!(command instanceof PutEventsCommand)) return send(command, options);
    if (Date.now() < outageUntil) throw unreachable('EHOSTUNREACH');
    const dice = random();
    if (dice < 0.1) throw answered('ThrottlingException', 400);
    if (dice < 0.15) throw answered('InternalException', 500);
    return takePartly(
      command.input.Entries ?? [],
      ({ DetailType }) =>
        DetailType === 'poison' || random() < 0.1 ? 'InternalFailure' : undefined,
      (Entries) => send(new PutEventsCommand({ Entries }), options),
    );
  };
}
