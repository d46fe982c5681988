/** Default lifetime of a link in seconds. */
export const LINK_SECONDS = 900;
