import { type DocxPackage, readingXml, readXml, xmlLimits } from '../package/docx-package.ts';
import { encodingOf } from '../package/encoding.ts';
import { isXml } from '../package/package-rules.ts';
import { isOutside } from '../package/relationships.ts';
import { Splices } from '../xml/splices.ts';
import { tokenise } from '../xml/tokenise.ts';

const VML = 'schemas-microsoft-com:vml';
const ATTRIBUTES = ['src', 'o:href', 'o:althref'];
const MAY_HAVE = /\b(?:src|href|althref)\s*=/;

/** Parts whose VML drawings name pictures by address, without these addresses. */
export function withoutAddresses(pkg: DocxPackage): Map<string, string> {
  const changes = new Map<string, string>();
  for (const [name, content] of pkg.entries) {
    if (!isXml(name, pkg.contentTypes.typeOf(name)) || !mayHaveVml(content)) continue;
    const xml = readXml(pkg, name);
    if (!MAY_HAVE.test(xml)) continue;
    const after = readingXml(name, () => withoutAddressesOf(xml, pkg));
    if (after !== xml) changes.set(name, after);
  }
  return changes;
}

const mayHaveVml = (content: Uint8Array): boolean =>
  encodingOf(content) !== 'utf-8' ||
  Buffer.from(content.buffer, content.byteOffset, content.length).includes(VML);

function withoutAddressesOf(xml: string, pkg: DocxPackage): string {
  const splices = new Splices();
  tokenise(
    xml,
    {
      open(tag) {
        if (!tag.name.startsWith('v:')) return;
        for (const attribute of ATTRIBUTES) {
          const span = isOutside(tag.attribute(attribute) ?? '') && tag.attributeSpan(attribute);
          if (span) splices.remove(span.start, span.end);
        }
      },
    },
    xmlLimits(pkg.limits),
  );
  return splices.apply(xml);
}
