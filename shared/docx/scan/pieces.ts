import type { Span, TextPiece } from './part-model.ts';

/**
 * The texts of a paragraph that begin in a stretch, of the very many that there may be.
 * @param by `at`: in the text of the paragraph; `start`: in the XML
 */
export const piecesIn = (
  pieces: readonly TextPiece[],
  { start, end }: Span,
  by: 'at' | 'start' = 'at',
): readonly TextPiece[] => pieces.slice(firstFrom(pieces, start, by), firstFrom(pieces, end, by));

/** The texts of a paragraph over which a stretch of its text goes. */
export function piecesOver(
  pieces: readonly TextPiece[],
  { start, end }: Span,
): readonly TextPiece[] {
  // The one before may go on into the stretch.
  const from = Math.max(0, firstFrom(pieces, start, 'at') - 1);
  return pieces
    .slice(from, firstFrom(pieces, end, 'at'))
    .filter(({ at, text }) => at + text.length > start);
}

/** The place of the first text that begins at an offset or after it. */
function firstFrom(pieces: readonly TextPiece[], offset: number, by: 'at' | 'start'): number {
  let low = 0;
  for (let high = pieces.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.[by] ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
