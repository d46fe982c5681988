/** A free text as a part of a key, so that no text continues into the next part. */
export const keyPart = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23');
