/** Most characters of a text of a model that becomes part of what is stored, as of one that an expression gives. */
export const MAX_MODEL_TEXT = 4_000;

/** Most names that a task is stored with; each has 255 bytes at most, and a task is one item. */
export const MAX_CANDIDATES = 1_000;

/** Whether an item holds a task with these lists of names. */
export const fitsTask = (lists: readonly (readonly unknown[])[]): boolean =>
  lists.reduce((sum, { length }) => sum + length, 0) <= MAX_CANDIDATES;
