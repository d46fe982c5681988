import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';

/** Tells the module that an event of a source waits to be applied. */
export const EVENT_TOPIC = 'identity.event.received';

/** Message of `EVENT_TOPIC`. */
export const waitingEvent = lazy(() => z.object({ sourceId: z.string(), eventKey: z.string() }));
