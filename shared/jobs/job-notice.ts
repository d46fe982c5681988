import * as z from 'zod';
import { lazy } from '../primitives/lazy.ts';

/** The message that makes a job go on. */
export const jobNotice = lazy(() => z.object({ jobId: z.string() }));
