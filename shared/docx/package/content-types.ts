import { tokenise, type XmlLimits } from '../xml/tokenise.ts';

/** Which type each part has (OPC, ISO/IEC 29500-2 section 10.1.2). Names and extensions know no case. */
export class ContentTypes {
  readonly #defaults = new Map<string, string>();
  readonly #overrides = new Map<string, string>();

  /** @throws XmlError */
  static read(xml: string, limits: XmlLimits): ContentTypes {
    const types = new ContentTypes();
    const open = (tag: { name: string; attribute(name: string): string | undefined }): void => {
      const type = tag.attribute('ContentType')?.trim().toLowerCase() ?? '';
      const part = tag.attribute('PartName');
      const extension = tag.attribute('Extension');
      if (tag.name === 'types:Override' && part !== undefined)
        types.#overrides.set(part.replace(/^\/+/, '').toLowerCase(), type);
      if (tag.name === 'types:Default' && extension !== undefined)
        types.#defaults.set(extension.toLowerCase(), type);
    };
    tokenise(xml, { open }, limits);
    return types;
  }

  /** The type of a part in lower case; empty for one that is not declared. */
  typeOf(name: string): string {
    const lower = name.toLowerCase();
    const extension = lower.slice(lower.lastIndexOf('.') + 1);
    return this.#overrides.get(lower) ?? this.#defaults.get(extension) ?? '';
  }

  /** All types that are declared, whether a part has them or not. */
  get declared(): readonly string[] {
    return [...this.#defaults.values(), ...this.#overrides.values()];
  }
}
