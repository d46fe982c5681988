import type { EntityModel } from '../definitions/model.ts';

/** Columns of an exported file; what is stored encrypted stays out of files. */
export function columnsOf(
  { definition }: EntityModel,
  wanted: readonly string[] | undefined,
): string[] {
  const codes = definition.fields
    .filter(
      ({ code, encrypted, writeOnly }) =>
        !encrypted && !writeOnly && (wanted?.includes(code) ?? true),
    )
    .map(({ code }) => code);
  return ['id', ...(definition.hierarchical ? ['parentId'] : []), ...codes];
}
