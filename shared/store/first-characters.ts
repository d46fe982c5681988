/** The beginning of a text for an item, without half a surrogate pair at its end. */
export const firstCharacters = (text: string, max: number): string =>
  text.slice(0, max).toWellFormed();
