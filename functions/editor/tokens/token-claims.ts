import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { EDITOR_MODES } from '../domain/modes.ts';

const TEMPLATE_TYPES = ['TYPE_1', 'TYPE_2', 'TYPE_3'] as const;

/** What an `accessToken` says: its bearer may read one file. */
export const fileClaims = lazy(() =>
  z.object({
    typ: z.literal('docs-file'),
    fid: z.string(),
    did: z.string(),
    sub: z.string(),
    key: z.string(),
    /** An old version of the file, in a storage that keeps them. */
    v: z.string().optional(),
    /** Whether the token alone is enough; else the editing server has to say who it is. */
    dl: z.boolean(),
    exp: z.number(),
  }),
);

export type FileClaims = z.output<ReturnType<typeof fileClaims>>;

/** What a `contextToken` says: what was opened, by whom, under which key. */
export const contextClaims = lazy(() =>
  z.object({
    typ: z.literal('docs-cb'),
    fid: z.string(),
    fn: z.string(),
    did: z.string(),
    tt: z.enum(TEMPLATE_TYPES).optional(),
    mode: z.enum(EDITOR_MODES),
    sub: z.string(),
    /** Tenant of the user. */
    tn: z.string().optional(),
    key: z.string(),
    rev: z.number(),
    exp: z.number(),
  }),
);

export type ContextClaims = z.output<ReturnType<typeof contextClaims>>;
