import type { ActionType, ObjectType } from '../runs/history.ts';

export const EVENT_STATUSES = ['PENDING', 'SUCCESS', 'SKIP', 'FAIL'] as const;

/** What a source says has happened. */
export interface SourceEvent {
  /** Chosen by the source; the same one is a repetition. */
  readonly eventKey: string;
  readonly eventType: string;
  /** None for events that change nothing, such as answers to asynchronous requests. */
  readonly actionType?: ActionType | undefined;
  readonly objectType: ObjectType;
  /** Id of the object at the source. */
  readonly externalId: string;
  readonly eventTime: string;
}

/** An event as it is kept. It is a hint: what is applied is what the source says when it is asked. */
export interface EventRecord extends SourceEvent {
  readonly id: string;
  readonly identitySourceId: string;
  readonly receiveTime: string;
  readonly status: (typeof EVENT_STATUSES)[number];
  readonly objectId?: string | undefined;
  readonly objectName?: string | undefined;
  readonly desc?: string | undefined;
  readonly attempts: number;
  /** The body as it came, encrypted. */
  readonly payload: string;
  readonly version: number;
}
