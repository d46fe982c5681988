import type { IdentitySource } from '../domain/sources/source.ts';

/** Which sources a list has. */
export interface SourceListCall {
  readonly page?: number | undefined;
  readonly size: number;
  /** Only names that contain this text, in any case. */
  readonly name?: string | undefined;
  readonly provider?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export const fits = (
  source: IdentitySource,
  { name, provider, enabled }: Omit<SourceListCall, 'page' | 'size'>,
): boolean =>
  (name === undefined || source.name.toLowerCase().includes(name.toLowerCase())) &&
  (provider === undefined || source.provider === provider.toUpperCase()) &&
  (enabled === undefined || source.enabled === enabled);
