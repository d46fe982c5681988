/** How long versions are kept: as long as the bucket keeps old ones. */
export const VERSION_DAYS = 90;
