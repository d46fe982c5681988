import {
  type DocxPackage,
  findEntry,
  readingXml,
  readXml,
  relationshipsOf,
  xmlLimits,
} from '../package/docx-package.ts';
import { isXml } from '../package/package-rules.ts';
import { ownerOf, type Relationship } from '../package/relationships.ts';
import { Splices } from '../xml/splices.ts';
import type { XmlTag } from '../xml/tag.ts';
import { tokenise } from '../xml/tokenise.ts';
import { isExternalAllowed } from './external-targets.ts';

/** Elements that are nothing without their target; of others only the reference goes. */
const WITHOUT_TARGET =
  /^(?:w:(?:attachedTemplate|subDoc|dataSource|headerSource|recipientData|sourceFileName|src|movie|saveThroughXslt|printerSettings)|o:OLEObject|a:hlink(?:Click|Hover|MouseOver))$|\}externalData$/;
const REFERENCES = [
  'r:id',
  'r:link',
  'r:embed',
  'r:href',
  'r:pict',
  'o:relid',
  'r:cs',
  'r:dm',
  'r:lo',
  'r:qs',
];

/** Parts as they are without what they refer to. */
export interface Removal {
  readonly changes: ReadonlyMap<string, string>;
  /** The parts that had references, without those of the package itself. */
  readonly owners: readonly string[];
}

/**
 * Removes relationships, and what refers to them: a reference that leads nowhere makes a file unreadable for Word.
 * @throws DocxRefused
 */
export function removeRelationships(
  pkg: DocxPackage,
  isRemoved: (relationship: Relationship) => boolean,
): Removal {
  const changes = new Map<string, string>();
  const owners: string[] = [];
  for (const name of pkg.entries.keys()) {
    const owner = ownerOf(name);
    const removed = owner === undefined ? [] : relationshipsOf(pkg, owner).filter(isRemoved);
    if (owner === undefined || removed.length === 0) continue;
    const splices = new Splices();
    for (const { start, end } of removed) splices.remove(start, end);
    changes.set(name, splices.apply(readXml(pkg, name)));
    owners.push(owner);
    const part = findEntry(pkg.entries, owner);
    if (part === undefined || !isXml(part, pkg.contentTypes.typeOf(part))) continue;
    const ids = new Set(removed.map(({ id }) => id));
    changes.set(
      part,
      readingXml(part, () => withoutReferences(pkg, part, ids)),
    );
  }
  return { changes, owners };
}

/** Whether a stored file may not have a relationship: all that leads outside, besides links for people to follow. */
export const isForbidden = ({ external, type, target }: Relationship): boolean =>
  external && !(type === 'hyperlink' && isExternalAllowed(target));

function withoutReferences(pkg: DocxPackage, part: string, ids: ReadonlySet<string>): string {
  const xml = readXml(pkg, part);
  const splices = new Splices();
  let depth = 0;
  let removing: { readonly start: number; readonly depth: number } | undefined;
  tokenise(
    xml,
    {
      open(tag) {
        depth += 1;
        if (removing) return;
        const spans = referencesOf(tag, ids);
        if (spans.length > 0 && WITHOUT_TARGET.test(tag.name))
          removing = { start: tag.start, depth };
        else for (const { start, end } of spans) splices.remove(start, end);
      },
      close(_name, _start, end) {
        if (removing?.depth === depth) {
          splices.remove(removing.start, end);
          removing = undefined;
        }
        depth -= 1;
      },
    },
    xmlLimits(pkg.limits),
  );
  return splices.apply(xml);
}

/** Where the attributes of a tag stand that name one of the relationships. */
function referencesOf(
  tag: XmlTag,
  ids: ReadonlySet<string>,
): readonly { start: number; end: number }[] {
  return REFERENCES.flatMap((name) =>
    ids.has(tag.attribute(name) ?? '') ? (tag.attributeSpan(name) ?? []) : [],
  );
}
