/** Sizes are in bytes of the unpacked content. */
export interface DocxLimits {
  readonly entries: number;
  readonly totalBytes: number;
  readonly partBytes: number;
  /** Most that content may be larger than its compressed form; contents up to `ratioFreeBytes` are exempt. */
  readonly ratio: number;
  readonly ratioFreeBytes: number;
  readonly xmlDepth: number;
  /** Tags, attributes and texts of all XML parts together. */
  readonly xmlTokens: number;
  readonly markers: number;
  readonly fields: number;
}

const MIB = 2 ** 20;

export const docxLimits: DocxLimits = {
  entries: 2_000,
  totalBytes: 64 * MIB,
  partBytes: 32 * MIB,
  ratio: 100,
  ratioFreeBytes: MIB,
  xmlDepth: 256,
  xmlTokens: 5_000_000,
  markers: 10_000,
  fields: 1_000,
};
