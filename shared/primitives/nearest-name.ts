import leven from 'leven';

/** The known name that `name` may be a misspelling of: a third of its letters differ, or two were swapped. */
function nearestName(name: string, known: Iterable<string>): string | undefined {
  const most = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = leven(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Message about an unknown name: `is unknown; did you mean "name"?`. A known one belongs to another form. */
export function unknownName(name: string, known: Iterable<string>): string {
  const names = new Set(known);
  if (names.has(name)) return 'does not go with the others';
  // Skip long names: the comparison takes quadratic time.
  const nearest = name.length > 100 ? undefined : nearestName(name, names);
  return nearest === undefined ? 'is unknown' : `is unknown; did you mean "${nearest}"?`;
}
