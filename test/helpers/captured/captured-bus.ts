import type { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { takePartly } from '../service-faults/bus-faults.ts';
import { answered, unreachable, untilAborted } from '../service-faults/send.ts';

/** An event as it was put on the bus. */
export interface CapturedEvent {
  readonly bus: string | undefined;
  readonly source: string | undefined;
  readonly type: string | undefined;
  readonly envelope: MessageEnvelope;
}

/** An event bus that keeps what is put on it. */
export interface CapturedBus {
  readonly client: EventBridgeClient;
  readonly events: CapturedEvent[];
  /** `down`: the bus cannot be reached; `refusing`: it takes no entry; `hanging`: it never answers. */
  mode: 'up' | 'down' | 'refusing' | 'hanging';
  /** Error code that the bus answers for an event of a topic; `undefined`: it takes it. */
  refusal: (topic: string) => string | undefined;
  /** Name of the error of a whole request that holds an event of a topic; `undefined`: it goes through. */
  denial: (topic: string) => string | undefined;
  /** Entries of each request that arrived. */
  readonly requests: number[];
  /** Requests that found the bus hanging. */
  hung: number;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

/** Makes an empty bus that works. */
export function capturedBus(): CapturedBus {
  const events: CapturedEvent[] = [];
  const send = async ({ input }: PutEventsCommand, { abortSignal }: SendOptions = {}) => {
    if (bus.mode === 'hanging') {
      bus.hung += 1;
      return untilAborted(abortSignal);
    }
    if (bus.mode === 'down') throw unreachable();
    const entries = input.Entries ?? [];
    const denial = entries.flatMap(({ DetailType = '' }) => bus.denial(DetailType) ?? [])[0];
    if (denial) throw answered(denial, 400);
    const isRefusing = bus.mode === 'refusing';
    if (!isRefusing) bus.requests.push(entries.length);
    return takePartly(
      entries,
      ({ DetailType = '' }) => (isRefusing ? 'ThrottlingException' : bus.refusal(DetailType)),
      async (taken) => {
        for (const { EventBusName, Source, DetailType, Detail = '{}' } of taken) {
          const envelope = JSON.parse(Detail) as MessageEnvelope;
          events.push({ bus: EventBusName, source: Source, type: DetailType, envelope });
        }
      },
    );
  };
  const bus: CapturedBus = {
    client: { send } as unknown as EventBridgeClient,
    events,
    mode: 'up',
    refusal: () => undefined,
    denial: () => undefined,
    requests: [],
    hung: 0,
  };
  return bus;
}
