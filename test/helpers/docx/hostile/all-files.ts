import { document } from '../make-docx.ts';
import { hostileArchives, manyEntries } from './archives.ts';
import type { HostileFile } from './hostile-file.ts';
import { hostileMacros } from './macros.ts';
import { hostileMasses } from './masses.ts';
import { hostileParts, withBody } from './parts.ts';

const MIB = 2 ** 20;

/** Every file that an upload refuses, or takes with care: archives, XML, very much of one thing, and macros. */
export const allHostileFiles = () =>
  ({
    archives: [...hostileArchives(), ['has 100,000 entries', manyEntries(), 'DOCX_TOO_COMPLEX']],
    XML: [
      ...hostileParts(),
      ['has an attribute of 50 MiB', withBody(longAttribute()), 'DOCX_TOO_COMPLEX'],
      ['has markers where no text is', markersElsewhere(), 'taken'],
    ],
    masses: hostileMasses(),
    macros: hostileMacros(),
  }) satisfies Record<string, readonly HostileFile[]>;

const longAttribute = (): string => document(`<w:p w:a="${'x'.repeat(50 * MIB)}"/>`);

/** Another prefix than `w`, and markers in an attribute, a comment, an instruction and a CDATA section. */
export function markersElsewhere(): Buffer {
  const xml = document(
    '<w:p w:rsidR="{{attribute}}"><!-- {{comment}} --><?x {{instruction}}?><w:r><w:t><![CDATA[{{cdata}}]]></w:t></w:r></w:p>',
  );
  return withBody(xml.replaceAll('w:', 'q:').replace('xmlns:w=', 'xmlns:q='));
}
