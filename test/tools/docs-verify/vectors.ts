import * as z from 'zod';

const expectation = z.strictObject({
  /** Whether the rules of signatures accept the request. */
  authentic: z.boolean().optional(),
  /** What is acted on; at least these members. */
  claims: z.record(z.string(), z.unknown()).optional(),
  /** Payload of the token in the header; at least these members. */
  headerPayload: z.record(z.string(), z.unknown()).optional(),
  /** The context token is for another key. */
  contextMismatch: z.boolean().optional(),
  /** 4xx with error 1, and nothing stored. */
  clientError: z.boolean().optional(),
  /** No connection to anything. */
  mustNotFetch: z.boolean().optional(),
  /** No connection to this `host[:port]`. */
  mustNotFetchHost: z.string().optional(),
});

const vector = z.looseObject({
  name: z.string(),
  /** Epoch seconds. */
  now: z.number(),
  request: z.looseObject({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().nullable().default(null),
  }),
  expect: z.record(z.string(), z.unknown()),
});

const vectorFile = z.looseObject({
  secret: z.string(),
  algorithm: z.string().default('HS256'),
  documentServerUrl: z.string(),
  headerName: z.string().default('Authorization'),
  headerPrefix: z.string().default('Bearer '),
  genuine: z.array(vector).default([]),
  made: z.array(vector).default([]),
});

export type VectorFile = z.output<typeof vectorFile>;
export type Vector = z.output<typeof vector>;
export type Expectation = z.output<typeof expectation>;

/** Reads a file of recorded requests. @throws ZodError that names the member */
export const readVectors = (text: string): VectorFile => vectorFile.parse(JSON.parse(text));

/** What a vector expects; a text when it has a member that nobody knows. */
export function expectationOf({ expect }: Vector): Expectation | string {
  const parsed = expectation.safeParse(expect);
  return parsed.success ? parsed.data : `expect: ${parsed.error.issues[0]?.message}`;
}
