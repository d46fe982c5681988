import { v7 } from 'uuid';

/** Makes identifiers. Injected, so that tests can predict them. */
export type IdGenerator = () => string;

/** UUIDv7: identifiers that sort by the time of their creation (RFC 9562, section 5.7). */
export const uuidV7: IdGenerator = () => v7();
