import { type DocxPackage, relationshipsOf } from '../package/docx-package.ts';
import { imageAddress } from './images.ts';
import type { Numbering } from './numbering.ts';
import type { Styles } from './styles.ts';

export type NoteKind = 'footnote' | 'endnote';

/** Facts of a document while its parts are written. */
export interface HtmlContext {
  readonly pkg: DocxPackage;
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** Whether something was left out that a page cannot show. */
  readonly leavesOut: () => void;
  /** The number of a note that is referred to. */
  readonly note: (kind: NoteKind, id: string) => number;
}

/** Targets of the links of a part. */
export class PartLinks {
  readonly #pkg: DocxPackage;
  readonly #targets: ReadonlyMap<
    string,
    { target: string; external: boolean; partName?: string | undefined }
  >;

  constructor(pkg: DocxPackage, part: string) {
    this.#pkg = pkg;
    this.#targets = new Map(relationshipsOf(pkg, part).map((each) => [each.id, each]));
  }

  /** The name of the part behind a relationship. */
  part(id: string | undefined): string | undefined {
    return this.#targets.get(id ?? '')?.partName;
  }

  /** An address that people may follow. */
  address(id: string | undefined): string | undefined {
    const found = this.#targets.get(id ?? '');
    return found?.external && /^(?:https?:|mailto:)/i.test(found.target) ? found.target : undefined;
  }

  /** The mark of a place that a document to print keeps free. */
  place(id: string | undefined): string | undefined {
    const found = this.#targets.get(id ?? '');
    return found?.target.startsWith('urn:svc-cloud:place:') ? found.target : undefined;
  }

  image(id: string | undefined): string | undefined {
    return imageAddress(this.#pkg, this.part(id));
  }
}

/** Text in HTML, in content and in attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The anchor of a bookmark. */
export const anchorOf = (name: string): string =>
  `b-${name.replace(/[^\p{L}\p{N}_-]/gu, '-').slice(0, 80)}`;
