import type * as z from 'zod';

/** Documentation of an event: `{...} satisfies EventDescription<RecordEvent>`. */
export interface EventDescription<Payload extends object = Readonly<Record<string, unknown>>> {
  readonly topic: string;
  /** What the key of the message is. */
  readonly key: string;
  /** Name of the payload's type. */
  readonly payload: string;
  /** When it is published. */
  readonly meaning: string;
  /** What each member of the payload holds. */
  readonly members: Readonly<Record<keyof Payload, string>>;
  /** What a payload of others has to fit; the reference shows it as JSON Schema. */
  readonly schema?: () => z.ZodType;
}
