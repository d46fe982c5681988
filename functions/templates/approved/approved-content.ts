import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ApprovedContent } from '../../../shared/ports/templates.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { orderedJson } from '../domain/values/ordered-json.ts';

const MAX_BLOCKS = 5_000;
const MAX_TEXT = 20_000;
const ONE_LINE = /^[^\p{Cc}\p{Cs}\ufffe\uffff]*$/u;

const text = lazy(() =>
  z.string().max(MAX_TEXT).regex(ONE_LINE, 'must be one line without control characters'),
);

const block = lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('heading'),
      level: z.union([z.literal(1), z.literal(2), z.literal(3)]),
      text: text(),
    }),
    z.strictObject({
      kind: z.literal('paragraph'),
      runs: z
        .array(
          z.strictObject({
            text: text(),
            bold: z.boolean().optional(),
            italic: z.boolean().optional(),
            underline: z.boolean().optional(),
          }),
        )
        .max(1_000),
      align: z.enum(['left', 'center', 'right', 'justify']).optional(),
    }),
    z.strictObject({
      kind: z.literal('list'),
      isOrdered: z.boolean(),
      items: z.array(text()).min(1).max(1_000),
    }),
    z.strictObject({
      kind: z.literal('table'),
      hasHeader: z.boolean(),
      rows: z.array(z.array(text()).min(1).max(50)).min(1).max(2_000),
    }),
    z.strictObject({ kind: z.literal('page-break') }),
  ]),
);

/** Approved content, and who approved it. */
export const approvedContent = lazy(() =>
  z.strictObject({
    title: text().min(1).max(255),
    blocks: z.array(block()).min(1).max(MAX_BLOCKS),
    outputFormat: z.string(),
    approvedBy: text().min(1).max(255),
    approvedAt: z.iso.datetime(),
    approvalHash: z.string(),
  }),
);

/**
 * What an approval is given to: SHA-256 in hexadecimal of title and blocks, whatever the order of their members.
 */
export function approvalHashOf({
  title,
  blocks,
}: Pick<ApprovedContent, 'title' | 'blocks'>): string {
  return createHash('sha256').update(orderedJson({ title, blocks })).digest('hex');
}
