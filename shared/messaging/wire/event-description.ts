import type * as z from 'zod';

/** Documentation of an event: `{...} satisfies EventDescription<RecordEvent>`. */
export interface EventDescription<Payload extends object = Readonly<Record<string, unknown>>> {
  readonly topic: string;
  /** Meaning of the message's key. */
  readonly key: string;
  /** Name of the payload's type. */
  readonly payload: string;
  /** When it is published. */
  readonly meaning: string;
  /** Meaning of each member of the payload. */
  readonly members: Readonly<Record<keyof Payload, string>>;
  /** Schema of payloads that others publish; the reference shows it as JSON Schema. */
  readonly schema?: () => z.ZodType;
}
