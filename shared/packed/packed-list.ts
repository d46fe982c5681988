/** Name of the list beside packed files. */
export const PACKED_LIST = 'packed.json';

/** What a folder of packed files holds. */
export interface PackedList {
  /** Changes with the content of any file: the name of the folder that they are unpacked to. */
  readonly id: string;
  readonly files: readonly {
    readonly name: string;
    /** Size unpacked. */
    readonly bytes: number;
    readonly sha256: string;
    /** Whether it lies as `<name>.zst`. */
    readonly isPacked: boolean;
  }[];
}
