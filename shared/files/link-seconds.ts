/** How long a link works when its maker does not say, in seconds. */
export const LINK_SECONDS = 900;
