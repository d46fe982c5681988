import * as z from 'zod';

/** Largest document that is part of a call: Lambda takes 6 MB of JSON, and base64 adds a third. */
export const MAX_CALL_BYTES = 4 * 1_024 * 1_024;

const format = z.enum(['docx', 'html']);

/** What an engine's function is asked. */
export const engineCall = z.strictObject({
  source: z.union([
    z.strictObject({ format, base64: z.string().min(1) }),
    z.strictObject({ format, path: z.string().min(1) }),
  ]),
  target: z.string().min(1),
  at: z.iso.datetime(),
  pdfA: z.boolean(),
  tagged: z.boolean(),
  maxPages: z.int().min(1),
  /** Time that the caller still has (ms). */
  limitMs: z.number().positive(),
});
export type EngineCall = z.output<typeof engineCall>;

const place = z.strictObject({
  name: z.string(),
  page: z.int(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

/** What it answers. */
export const engineReply = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('printed'),
    pages: z.int(),
    sizeBytes: z.int(),
    sha256: z.string(),
    places: z.array(place),
  }),
  z.strictObject({ outcome: z.literal('too-long'), pages: z.int() }),
  /** The document, not the engine, is at fault. */
  z.strictObject({ outcome: z.literal('refused') }),
  z.strictObject({ outcome: z.literal('late') }),
  /** No engine was ready in time: one starts, and prints what comes next. */
  z.strictObject({ outcome: z.literal('starting') }),
]);
export type EngineReply = z.output<typeof engineReply>;
