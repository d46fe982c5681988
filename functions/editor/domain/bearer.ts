const PREFIX = /^Bearer (\S+)$/i;

/** The token in a header of the editing server. */
export const bearerOf = (header: string | undefined): string | undefined =>
  PREFIX.exec(header?.trim() ?? '')?.[1];
