/** Most bytes of a text that hosts build keys from: signals, topics, people, groups, ids. */
export const MAX_KEY_BYTES = 255;

/** Whether a host can build a key from the text. */
export const fitsKey = (text: string): boolean =>
  text.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(text) <= MAX_KEY_BYTES;
