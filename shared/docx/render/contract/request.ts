import type { DocxPackage } from '../../package/docx-package.ts';

/** An element of a list, within the part of a document that is repeated for it. */
export class Row {
  /** Name of the list as the document writes it. */
  readonly list: string;
  readonly element: unknown;
  /** 1 for the first one. */
  readonly number: number;

  constructor(list: string, element: unknown, number: number) {
    this.list = list;
    this.element = element;
    this.number = number;
  }
}

/** Millimetres; what is not given follows from the content. */
export interface Size {
  readonly widthMm?: number | undefined;
  readonly heightMm?: number | undefined;
}

/** Reads an image once its place is known; `undefined` when there is none to show. */
export type ReadImage = () => Promise<Uint8Array | undefined>;

/** Replacement of a marker. */
export type Shown =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'image'; readonly read: ReadImage; readonly description: string } & Size)
  /** `symbology` as of bwip-js: `qrcode`, `code128`, `ean13`. */
  | ({ readonly kind: 'code'; readonly symbology: string; readonly text: string } & Size)
  /** An empty place of a size, such as one for a signature. */
  | ({ readonly kind: 'place'; readonly name: string } & Size)
  | { readonly kind: 'page' }
  | { readonly kind: 'pageCount' };

export interface FieldValue {
  readonly shown: Shown;
  /** Nothing is known of the field: it is treated as `unused` says. */
  readonly isEmpty: boolean;
  /** The field is declared and has a value. */
  readonly isBound: boolean;
  readonly lockedInOutput: boolean;
}

export interface RenderRequest {
  readonly output: 'DOCX' | 'PDF' | 'HTML';
  /** TYPE_1 locks the fields that say so, TYPE_2 all that are bound, TYPE_3 leaves no controls. */
  readonly lockType: 'TYPE_1' | 'TYPE_2' | 'TYPE_3';
  /** How fields without a value are shown; `NAME` shows `«name»`. */
  readonly unused?: 'BLANK' | 'KEEP_MARKER' | 'REMOVE_PARAGRAPH' | 'NAME' | undefined;
  /** @param rows the rows around the marker, the innermost last */
  readonly valueOf: (
    name: string,
    switches: string | undefined,
    rows: readonly Row[],
  ) => FieldValue;
  /** Whether a marker shows text, in every row: else its control must take pictures and fields. */
  readonly isText?: (name: string, switches: string | undefined) => boolean;
  /** The elements of a list; `undefined` for other values. */
  readonly listOf: (name: string, rows: readonly Row[]) => readonly unknown[] | undefined;
  /** The value of a condition, and whether it holds. */
  readonly isTrue: (name: string, rows: readonly Row[]) => boolean;
}

export interface RenderWarning {
  readonly code:
    | 'INVALID_MARKER'
    | 'FORMAT_FAILED'
    | 'NESTED_FIELD_NOT_EVALUATED'
    | 'LINK_TARGET_REJECTED'
    | 'DATA_BOUND_CONTROL';
  readonly field?: string;
  readonly part: string;
  readonly message: string;
}

/** A field that was locked, in the order of the document. */
export interface LockedValue {
  readonly part: string;
  readonly name: string;
  readonly text: string;
  /** It stands in the copy of a text box for older readers (`mc:Fallback`). */
  readonly isCopy: boolean;
}

export interface RenderResult {
  readonly pkg: DocxPackage;
  readonly warnings: readonly RenderWarning[];
  readonly lockedValues: readonly LockedValue[];
}
