/** Longest name that is looked at. */
const LONGEST = 300;

/** A text in lines of at most so many characters; what does not fit is cut off with an ellipsis. */
export function linesOf(name: string, width: number, most: number): string[] {
  const limit = Math.max(4, width);
  const words = name.slice(0, LONGEST).trim().split(/\s+/u);
  const lines: string[] = [];
  for (const word of words.flatMap((each) => piecesOf(each, limit))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= limit)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  if (lines.length <= most) return lines;
  const kept = lines.slice(0, most);
  kept[most - 1] = `${kept[most - 1]?.slice(0, limit - 1)}\u2026`;
  return kept;
}

function piecesOf(word: string, limit: number): string[] {
  const pieces: string[] = [];
  const characters = [...word];
  for (let at = 0; at < characters.length; at += limit) {
    pieces.push(characters.slice(at, at + limit).join(''));
  }
  return pieces;
}
