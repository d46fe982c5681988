/** Whether a text may be a key of ours: other applications of the same editing server have others, of any length. */
export const isKey = (text: string): boolean => /^[\w-]{43}$/.test(text);
