import { defineHost } from './host.ts';

/** The default host: no policies, so everything protected is denied. */
export default defineHost({});
