import { document } from '../make-docx.ts';
import type { HostileFile } from './hostile-file.ts';
import { withBody } from './parts.ts';

const inParagraph = (content: string): string => document(`<w:p>${content}</w:p>`);
const text = (content: string): string => inParagraph(`<w:r><w:t>${content}</w:t></w:r>`);
const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>';
const control =
  '<w:sdt><w:sdtPr><w:tag w:val="merge:a"/></w:sdtPr><w:sdtContent><w:r><w:t>x</w:t></w:r></w:sdtContent></w:sdt>';

/** Sound documents in which there is very much of one thing. */
export function hostileMasses(): readonly HostileFile[] {
  return [
    ['130,000 markers', withBody(text('{{a}}'.repeat(130_000))), 'DOCX_TOO_COMPLEX'],
    [
      '1,000 fields within each other',
      withBody(inParagraph(begin.repeat(1_000))),
      'DOCX_TOO_COMPLEX',
    ],
    ['a marker of a million blanks', withBody(text(`{{a${' '.repeat(1_000_000)}b}}`)), 'taken'],
    ['9,000 controls in a paragraph', withBody(inParagraph(control.repeat(9_000))), 'taken'],
  ];
}
