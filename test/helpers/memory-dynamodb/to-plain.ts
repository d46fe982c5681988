import type { AttributeValue } from './attribute-value.ts';

/** A value as code sees it: text, number, bytes, set, list, object. */
export function toPlain(value: AttributeValue): unknown {
  const { S, N, B, BOOL, L, M, SS, NS, BS } = value;
  if (N !== undefined) return Number(N);
  if (B !== undefined) return Buffer.from(B, 'base64');
  if (L) return L.map(toPlain);
  if (M)
    return Object.fromEntries(Object.entries(M).map(([name, child]) => [name, toPlain(child)]));
  if (NS) return new Set(NS.map(Number));
  if (BS) return new Set(BS.map((bytes) => Buffer.from(bytes, 'base64')));
  if (SS) return new Set(SS);
  return S ?? BOOL ?? null;
}
