import type { MarkerKind } from '../markers/text-markers.ts';

export type MarkerLocation =
  | 'BODY'
  | 'TABLE'
  | 'HEADER'
  | 'FOOTER'
  | 'FOOTNOTE'
  | 'ENDNOTE'
  | 'TEXT_BOX';

/** Offsets in the text of a part. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An element that is open, or was. */
export interface OpenElement {
  readonly name: string;
  readonly start: number;
  readonly contentStart: number;
  readonly parent: OpenElement | undefined;
  /** The prefix that the file uses, with its colon. */
  readonly prefix: string;
}

/** A run (`w:r`). Its end is known once it is closed. */
export interface Run {
  readonly start: number;
  readonly contentStart: number;
  readonly parent: OpenElement;
  end: number;
  properties: Span | undefined;
  /** Where the first and the last element besides its properties begin and end. */
  firstChild: number;
  lastChild: number;
}

/** The text of one `w:t`. */
export interface TextPiece {
  readonly run: Run;
  readonly control: Control | undefined;
  readonly start: number;
  end: number;
  text: string;
  /** Where it begins in the text of its paragraph. */
  at: number;
}

export interface ControlProperty extends Span {
  readonly name: string;
  readonly value: string | undefined;
}

/** A content control (`w:sdt`). */
export interface Control {
  readonly element: OpenElement;
  readonly outer: Control | undefined;
  /** Undefined for a control around paragraphs, cells or rows. */
  readonly paragraph: Paragraph | undefined;
  readonly properties: ControlProperty[];
  end: number;
  content: { start: number; end: number };
  /** The offsets of its text in the paragraph. */
  textStart: number;
  textEnd: number;
}

export interface Paragraph {
  readonly element: OpenElement;
  /** 1 for the first one of the part; those of `mc:Fallback` are not counted. */
  readonly number: number;
  readonly location: MarkerLocation;
  readonly inFallback: boolean;
  readonly pieces: TextPiece[];
  readonly controls: Control[];
  /** Between its properties and its end. */
  readonly content: { start: number; end: number };
  text: string;
}

/** A field of Word: `w:fldSimple`, or from `w:fldChar` begin to end. */
export interface WordField {
  readonly paragraph: Paragraph;
  readonly control: Control | undefined;
  /** Of a complex field: the run of its begin and the element of its character. */
  readonly begin: { readonly run: Run; readonly mark: Span } | undefined;
  readonly start: number;
  readonly parent: OpenElement;
  /** In the instruction of another field. */
  readonly nested: boolean;
  instruction: string;
  instructionRuns: number;
  phase: 'instruction' | 'result';
  separate: { readonly run: Run; readonly mark: Span } | undefined;
  /** Of a simple field. */
  content: Span | undefined;
  endMark: { readonly run: Run; readonly mark: Span } | undefined;
  end: number;
  endParagraph: Paragraph | undefined;
  instructionFormat: Run | undefined;
  resultFormat: Run | undefined;
}

/** Where a marker stands in the XML. */
export type MarkerPlace =
  | { readonly form: 'field'; readonly field: WordField; readonly format: Run | undefined }
  | { readonly form: 'control'; readonly control: Control }
  | {
      readonly form: 'text';
      readonly pieces: readonly TextPiece[];
      /** Offsets in the text of the first and of the last piece. */
      readonly from: number;
      readonly to: number;
    };

export interface FoundMarker {
  readonly kind: MarkerKind;
  readonly raw: string;
  readonly name: string;
  readonly switches: string | undefined;
  readonly valid: boolean;
  readonly splitRuns: number;
  readonly nested: boolean;
  readonly paragraph: Paragraph;
  /** The innermost control around it. */
  readonly control: Control | undefined;
  readonly start: number;
  readonly place: MarkerPlace;
}

/** Markers and fields of a part, in the order of the document. */
export interface PartScan {
  readonly part: string;
  /** As it was read, but for controls that stood around whole paragraphs. */
  readonly xml: string;
  /** Whether there were such. */
  readonly isMoved: boolean;
  readonly markers: readonly FoundMarker[];
  readonly unclosedMarkers: readonly Paragraph[];
  readonly unclosedFields: readonly Paragraph[];
  /** Controls of fields in which there is more than the field. */
  readonly overfull: readonly Control[];
  /** Fields that would take in something from outside. */
  readonly externalFields: readonly WordField[];
  readonly controls: readonly Control[];
  /** Bookmarks, ranges of comments and the like, which have no width. */
  readonly anchors: readonly Span[];
}
