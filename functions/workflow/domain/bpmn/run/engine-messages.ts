/** A wait, as the engine reports it. */
export interface EngineWait {
  readonly routingKey: string;
  readonly content: WaitContent;
}

/** Members of the engine's messages that are read. */
export interface WaitContent {
  readonly id: string;
  readonly type: string;
  readonly executionId: string;
  readonly expireAt?: string | Date;
  readonly message?: { readonly name?: string };
  readonly signal?: { readonly name?: string };
  readonly isMultiInstance?: boolean;
  readonly index?: number;
  readonly flow?: { readonly id: string };
  readonly error?: { readonly message?: string };
  readonly [member: string]: unknown;
}

/** A message with which the engine runs an element. */
export interface RunMessage {
  readonly fields: { readonly redelivered?: boolean; readonly routingKey: string };
  readonly content: WaitContent;
}

/** What passes on messages of an element. */
export type Broker = {
  publish(exchange: string, key: string, content: object, properties?: object): void;
  subscribeTmp(
    exchange: string,
    pattern: string,
    listener: (key: string, message: { readonly content: WaitContent }) => void,
    options: object,
  ): void;
};

/** Members of an element at work that are read and set. */
export interface EngineActivity {
  readonly broker: Broker;
  readonly type: string;
  readonly id: string;
  readonly behaviour: Record<string, unknown>;
}
