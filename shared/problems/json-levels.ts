/** Most levels of lists and objects in JSON of others: whoever writes it again, or walks through it, is up to so many. */
export const MAX_LEVELS = 500;

/** Whether a JSON text has more levels than `max`. */
export function isNestedDeeper(json: string, max = MAX_LEVELS): boolean {
  // Each level has an end as well.
  if (json.length <= 2 * max) return false;
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at);
        break;
      case '[':
      case '{':
        level += 1;
        if (level > max) return true;
        break;
      case ']':
      case '}':
        level -= 1;
        break;
      default:
    }
  }
  return false;
}

/** Where the text ends that begins at a quote. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === '"') return at;
    if (json[at] === '\\') at += 1;
  }
  return json.length;
}
