/** Replacement of a hidden value. */
const MASK = '******';
const SECRET_NAME =
  /(secret|password|passwd|token|credentials?|private[-_.]?key|api[-_.]?key|authorization)$/i;

/** Masks all members with secret names. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_NAME.test(name) && typeof member !== 'boolean' && member !== null
        ? MASK
        : maskSecrets(member),
    ]),
  );
}
