export const MAX_LENGTH = 2_000;
export const MAX_DEPTH = 32;
/** Most nodes that are computed and elements of lists that are read. */
export const MAX_STEPS = 10_000;
/** Those of all expressions of a document together. */
export const MAX_DOCUMENT_STEPS = 1_000_000;
export const MAX_LIST = 10_000;
