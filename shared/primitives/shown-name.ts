/** Characters of the end that stay: it says what kind of file it is. */
const END = 20;

/** The name of a file as people see it: its last part, without control characters; empty when nothing is left. */
export function shownName(name: string, maxLength: number): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const letters = [...last.replace(/\p{Cc}|\p{Cf}/gu, '').trim()];
  if (letters.length <= maxLength) return letters.join('');
  return [...letters.slice(0, maxLength - END), ...letters.slice(-END)].join('');
}
