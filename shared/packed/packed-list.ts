/** Name of the list beside packed files. */
export const PACKED_LIST = 'packed.json';

/** The files as they are, on a machine that has them: nothing is packed there. */
export interface FilesInPlace {
  readonly folder: string;
  /** Of the package that holds them. */
  readonly version: string;
}

/** Content of a folder of packed files. */
export interface PackedList {
  /** Changes with the content of any file: the name of the folder that they are unpacked to. */
  readonly id: string;
  readonly files: readonly {
    readonly name: string;
    /** Size unpacked. */
    readonly bytes: number;
    readonly sha256: string;
    /** Whether the file is stored as `<name>.zst`. */
    readonly isPacked: boolean;
  }[];
}
