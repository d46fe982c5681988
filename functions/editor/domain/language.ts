const TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** The language that a header `Accept-Language` likes best; the fallback when it names none. */
export function languageOf(header: string | undefined, fallback: string): string {
  const wanted = (header ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...more] = part.trim().split(';');
      const quality = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(more[0] ?? '')?.[1] ?? '1';
      return { tag: tag.trim(), quality: Number(quality) };
    })
    .filter(({ tag, quality }) => TAG.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return wanted[0]?.tag ?? fallback;
}
