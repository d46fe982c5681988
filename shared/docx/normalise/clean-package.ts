import type { DocxWarning } from '../inspection.ts';
import { ContentTypes } from '../package/content-types.ts';
import {
  type DocxPackage,
  findEntry,
  readingXml,
  readXml,
  withEntries,
  xmlLimits,
} from '../package/docx-package.ts';
import { Splices } from '../xml/splices.ts';
import { tokenise } from '../xml/tokenise.ts';
import { withoutAddresses } from './drawing-addresses.ts';
import { isForbidden, removeRelationships } from './external-references.ts';

export type CleaningWarning = DocxWarning<'EXTERNAL_RESOURCE_REMOVED' | 'SIGNATURE_REMOVED'>;

const SIGNATURE = /(?:^|\/)_xmlsignatures\//i;
const SIGNATURE_TYPE = /digital-signature/;
const TEMPLATE_TYPE = /wordprocessingml\.template\.main\+xml/i;
const CONTENT_TYPES = '[Content_Types].xml';

/** A package without signatures, which a change would break, and without what it would fetch from elsewhere. */
export function cleanPackage(pkg: DocxPackage): { pkg: DocxPackage; warnings: CleaningWarning[] } {
  const unsigned = withoutSignatures(pkg);
  const { changes, owners } = removeRelationships(unsigned, isForbidden);
  const linkless = changes.size === 0 ? unsigned : withEntries(unsigned, changes);
  const addresses = withoutAddresses(linkless);
  const cleaned = addresses.size === 0 ? linkless : withEntries(linkless, addresses);
  const warnings = [...new Set([...owners, ...addresses.keys()])].map(
    (part): CleaningWarning => ({
      code: 'EXTERNAL_RESOURCE_REMOVED',
      part,
    }),
  );
  if (unsigned !== pkg) warnings.unshift({ code: 'SIGNATURE_REMOVED', part: '' });
  return { pkg: withTypes(cleaned), warnings };
}

function withoutSignatures(pkg: DocxPackage): DocxPackage {
  const signatures = [...pkg.entries.keys()].filter(
    (name) => SIGNATURE.test(name) || SIGNATURE_TYPE.test(pkg.contentTypes.typeOf(name)),
  );
  if (signatures.length === 0) return pkg;
  const gone = new Set(signatures.map((name) => name.toLowerCase()));
  const { changes } = removeRelationships(pkg, ({ partName }) =>
    gone.has(partName?.toLowerCase() ?? ''),
  );
  const removed = new Map<string, string | undefined>(changes);
  for (const name of signatures) removed.set(name, undefined);
  return withEntries(pkg, removed);
}

/** The types without those of parts that are not there; a template becomes a document. */
function withTypes(pkg: DocxPackage): DocxPackage {
  const name = findEntry(pkg.entries, CONTENT_TYPES);
  if (name === undefined) return pkg;
  const before = readXml(pkg, name);
  const limits = xmlLimits(pkg.limits);
  return readingXml(name, () => {
    const after = changeTypes(before, pkg);
    if (after === before) return pkg;
    const contentTypes = ContentTypes.read(after, limits);
    return { ...withEntries(pkg, new Map([[name, after]])), contentTypes };
  });
}

function changeTypes(xml: string, pkg: DocxPackage): string {
  const splices = new Splices();
  let start: number | undefined;
  tokenise(
    xml,
    {
      open(tag) {
        const part = tag.attribute('PartName')?.replace(/^\/+/, '');
        const isSignature = SIGNATURE_TYPE.test(tag.attribute('ContentType') ?? '');
        const isGone = part === undefined || findEntry(pkg.entries, part) === undefined;
        start = isSignature && isGone ? tag.start : undefined;
        const type = tag.attributeSpan('ContentType');
        const written = type && xml.slice(type.start, type.end);
        if (type && written && TEMPLATE_TYPE.test(written))
          splices.replace(type.start, type.end, written.replace(TEMPLATE_TYPE, DOCUMENT_TYPE));
      },
      close(_name, _start, end) {
        if (start !== undefined) splices.remove(start, end);
        start = undefined;
      },
    },
    xmlLimits(pkg.limits),
  );
  return splices.apply(xml);
}

const DOCUMENT_TYPE = 'wordprocessingml.document.main+xml';
