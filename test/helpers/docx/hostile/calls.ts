import { openDocx, readXml, withEntries, writeDocx } from '../../../../shared/docx/index.ts';

/** Text that is markup, code or a marker elsewhere. */
export const hostileValues: readonly string[] = [
  ...['<w:p/>', ']]>', '&#0;', '{{other}}', '[[other]]', '\ue000other\ue001', "=cmd|'/C calc'!A0"],
  ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'javascript:alert(1)'],
  ...['\u202egnp.exe', 'a\u0000b', '$& $1', '__proto__', 'constructor'],
];

/** The same as rows of a list, beside a value that would change every object. */
export const hostileData = (): Readonly<Record<string, unknown>> => ({
  constructor: { prototype: { bad: 1 } },
  list: hostileValues.map((x) => ({ x })),
});

/** A value that would become the prototype of whatever takes it over. */
export const prototypeData = (): Readonly<Record<string, unknown>> =>
  JSON.parse('{"__proto__":{"bad":1}}');

type HostileData = readonly [what: string, entityData: Readonly<Record<string, unknown>>];

/** Values beyond every limit. */
export const endlessData: readonly HostileData[] = [
  ['a text of 10 MB', { ho_ten: 'x'.repeat(10_000_000) }],
  ['100,000 rows', { rows: Array.from({ length: 100_000 }, (_, n) => ({ n })) }],
  ['half of a surrogate pair', { ho_ten: 'a\ud800b' }],
  ['1,000 levels', JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)],
];

/** Expressions that reach for what they may not, or have no end. */
export const hostileExpressions: readonly string[] = [
  'constructor.constructor("return 1")()',
  '__proto__.x',
  'x["constructor"]',
  `${'('.repeat(40)}1${')'.repeat(40)}`,
  `${'-'.repeat(50)}1`,
  'self',
  'replace(x, /(a+)+$/, "")',
];

/** What no field may read. */
export const hostileSources: readonly string[] = [
  'setting:security.aes_secret',
  'setting:__proto__',
  'user.password',
];

/** Names of files that are more than a name elsewhere. */
export const hostileNames: readonly string[] = [
  '../../x.docx',
  'a\r\nSet-Cookie: b.docx',
  'a".docx',
  `${'x'.repeat(300)}.docx`,
  '\u0430dm\u0456n.docx',
  'CON.docx',
];

const CONTROL = /<w:sdt>(?:(?!<w:sdt>).)*?<\/w:sdt>/s;

/** An edit of the XML of a letter to An, the text that it has afterwards, and what is said of it. */
export type LockedEdit = readonly [
  what: string,
  edit: (xml: string) => string,
  text: string,
  code: string,
];

/** Edits of a value that is locked. */
export const lockedEdits: readonly LockedEdit[] = [
  ['edited', (xml) => xml.replace('>An<', '>Eve<'), 'Dear An', 'LOCKED_FIELD_MODIFIED'],
  ['deleted', (xml) => xml.replace(CONTROL, ''), 'Dear ', 'LOCKED_FIELD_MISSING'],
  [
    'doubled with another value',
    (xml) => xml.replace(CONTROL, (one) => one + one.replace('>An<', '>Eve<')),
    'Dear AnAn',
    'LOCKED_FIELD_MODIFIED',
  ],
  [
    'without their tag and lock',
    (xml) => xml.replace(/<w:(?:tag|lock) [^>]*>/g, '').replace('>An<', '>Eve<'),
    'Dear An',
    'LOCKED_FIELD_MODIFIED',
  ],
];

/** A Word file whose main document was edited. */
export async function editedDocx(
  file: Uint8Array,
  edit: (xml: string) => string,
): Promise<Uint8Array> {
  const pkg = await openDocx(file);
  const main = 'word/document.xml';
  return writeDocx(withEntries(pkg, new Map([[main, edit(readXml(pkg, main))]])));
}
