/** What an item keeps of a text: its beginning, without half a surrogate pair where it ends. */
export const firstCharacters = (text: string, max: number): string =>
  text.slice(0, max).toWellFormed();
