import { document, makeDocx } from '../make-docx.ts';
import type { HostileFile } from './hostile-file.ts';

/** A document with a main part. */
export const withBody = (content: string | Uint8Array): Buffer =>
  makeDocx({ entries: { 'word/document.xml': content } });

const root = document('');

/** What is wrong with the XML of a part, and the code of its refusal. */
export function hostileParts(): readonly HostileFile[] {
  const parts: [string, string | Uint8Array, string][] = [
    ['has a document type', `<!DOCTYPE w:document SYSTEM "http://x/">${root}`, 'INVALID_DOCX'],
    ['has entities', `<!DOCTYPE a [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]>${root}`, 'INVALID_DOCX'],
    ['refers to an entity', document('<w:p>&x;</w:p>'), 'INVALID_DOCX'],
    ['refers to no character', document('<w:p>&#0;</w:p>'), 'INVALID_DOCX'],
    ['has a control character', document('<w:p>\u0001</w:p>'), 'INVALID_DOCX'],
    ['is not valid UTF-8', Buffer.from([...Buffer.from(root), 0xff]), 'INVALID_DOCX'],
    ['declares another encoding', root.replace('UTF-8', 'ISO-8859-1'), 'INVALID_DOCX'],
    ['does not end', root.slice(0, -12), 'INVALID_DOCX'],
    ['has tags that cross', document('<w:p><w:r></w:p></w:r>'), 'INVALID_DOCX'],
    ['has two roots', root + root.slice(root.indexOf('?>') + 2), 'INVALID_DOCX'],
    ['has text behind its root', `${root}x`, 'INVALID_DOCX'],
    ['has an undeclared prefix', document('<x:p/>'), 'INVALID_DOCX'],
    ['has an attribute twice', document('<w:p a="" a=""/>'), 'INVALID_DOCX'],
    ['has < in an attribute', document('<w:p a="<"/>'), 'INVALID_DOCX'],
    ['has an attribute without value', document('<w:p a/>'), 'INVALID_DOCX'],
    ['is no XML', 'hello', 'INVALID_DOCX'],
    ['has 100,000 levels', document('<w:p>'.repeat(100_000)), 'DOCX_TOO_COMPLEX'],
  ];
  return parts.map(([what, content, code]) => [what, withBody(content), code]);
}
