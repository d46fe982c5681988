import { defineHost } from './host.ts';

/** The host of an application that plugs in nothing: no policy, so everything protected is refused. */
export default defineHost({});
