import { dirname, join } from 'node:path/posix';
import { tokenise, type XmlLimits } from '../xml/tokenise.ts';

/** A link of a part to another part or to an address outside of the package. */
export interface Relationship {
  readonly id: string;
  /** The last segment of its type: `image`, `hyperlink`; the same for Transitional and Strict. */
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
  /** The target part, without leading slash; undefined for an external one. */
  readonly partName: string | undefined;
  /** Where its element stands in the part of relationships. */
  readonly start: number;
  readonly end: number;
}

const OUTSIDE = /^\s*(?:[a-z][a-z\d+.-]*:|\/\/|\\\\)/i;

/** Whether a target has a scheme or a host, whatever its mode says. */
export const isOutside = (target: string): boolean => OUTSIDE.test(target);

/** Where the relationships of a part are; those of the package for the empty name. */
export function relationshipsPartOf(name: string): string {
  const slash = name.lastIndexOf('/') + 1;
  return `${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`;
}

/** The part that a part of relationships belongs to; undefined for other parts. */
export function ownerOf(relationshipsPart: string): string | undefined {
  const match = /^(.*?)_rels\/([^/]*)\.rels$/i.exec(relationshipsPart);
  return match ? `${match[1]}${match[2]}` : undefined;
}

/** @throws XmlError */
export function readRelationships(xml: string, owner: string, limits: XmlLimits): Relationship[] {
  const found: Relationship[] = [];
  let opened: Omit<Relationship, 'end'> | undefined;
  tokenise(
    xml,
    {
      open(tag) {
        if (tag.name !== 'rels:Relationship') return;
        const target = tag.attribute('Target') ?? '';
        const external =
          tag.attribute('TargetMode')?.toLowerCase() === 'external' || isOutside(target);
        const type = tag.attribute('Type') ?? '';
        opened = {
          id: tag.attribute('Id') ?? '',
          type: type.slice(type.lastIndexOf('/') + 1),
          target,
          external,
          partName: external ? undefined : resolveTarget(owner, target),
          start: tag.start,
        };
      },
      close(name, _start, end) {
        if (name === 'rels:Relationship' && opened) found.push({ ...opened, end });
      },
    },
    limits,
  );
  return found;
}

/** A target is relative to the folder of its part (RFC 3986), or begins at the root of the package. */
function resolveTarget(owner: string, target: string): string {
  const [path = ''] = target.split(/[?#]/);
  const joined = path.startsWith('/') ? path : join('/', dirname(owner), path);
  return decode(join('/', joined).slice(1));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
