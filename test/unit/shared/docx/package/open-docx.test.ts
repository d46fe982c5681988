import { describe, expect, it } from 'vitest';
import {
  type DocxLimits,
  DocxRefused,
  docxLimits,
  openDocx,
  readXml,
} from '../../../../../shared/docx/index.ts';
import {
  document,
  docxEntries,
  makeDocx,
  paragraph,
  relationship,
  relationships,
  zipped,
} from '../../../../helpers/docx/make-docx.ts';
import { type RawEntry, rawZip } from '../../../../helpers/docx/raw-zip.ts';

/** The code of a refusal; `taken` when there is none. Anything else that is thrown fails the test. */
async function outcome(bytes: Uint8Array, limits?: DocxLimits): Promise<string> {
  try {
    await openDocx(bytes, limits);
    return 'taken';
  } catch (error) {
    if (error instanceof DocxRefused) return error.code;
    throw error;
  }
}

/** A document as entries of an archive, with one of them changed or more added. */
const archive = (...more: readonly RawEntry[]): RawEntry[] => [
  ...Object.entries(docxEntries({ body: paragraph('text') }))
    .filter(([name]) => more.every((entry) => entry.name !== name))
    .map(([name, content]) => ({ name, content })),
  ...more,
];

const MIB = 2 ** 20;
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

describe('openDocx', () => {
  it('takes a document, and finds its texts by their types', async () => {
    const pkg = await openDocx(
      makeDocx({ body: paragraph('a'), header: '', footnotes: '', endnotes: '', footer: '' }),
    );
    expect(pkg.mainDocument).toBe('word/document.xml');
    expect(pkg.textParts).toEqual([
      { name: 'word/document.xml', role: 'BODY' },
      { name: 'word/endnotes.xml', role: 'ENDNOTES' },
      { name: 'word/footer.xml', role: 'FOOTER' },
      { name: 'word/footnotes.xml', role: 'FOOTNOTES' },
      { name: 'word/header.xml', role: 'HEADER' },
    ]);
  });

  it('knows no case in names, and follows the relationships wherever they lead', async () => {
    const entries = docxEntries({ body: paragraph('a') });
    const moved = {
      '[content_types].XML': String(entries['[Content_Types].xml']).replace(
        '/word/document.xml',
        '/Text/MAIN.xml',
      ),
      '_rels/.rels': relationships(relationship('r', 'officeDocument', '/text/main.xml')),
      'Text/Main.xml': String(entries['word/document.xml']),
    };
    const pkg = await openDocx(zipped(moved));
    expect(pkg.mainDocument).toBe('Text/Main.xml');
  });

  it('leaves texts of the glossary aside', async () => {
    const glossary = `${WORD_TYPE}.document.glossary+xml`;
    const pkg = await openDocx(
      makeDocx({
        types: `<Override PartName="/word/glossary/document.xml" ContentType="${glossary}"/><Override PartName="/word/glossary/footnotes.xml" ContentType="${WORD_TYPE}.footnotes+xml"/>`,
        entries: {
          'word/glossary/document.xml': document(''),
          'word/glossary/footnotes.xml': document(''),
          'word/glossary/_rels/document.xml.rels': relationships(
            relationship('r1', 'footnotes', 'footnotes.xml'),
          ),
        },
      }),
    );
    expect(pkg.textParts).toHaveLength(1);
  });

  it.each([
    [
      'UTF-8 with a byte order mark',
      Buffer.from(`\ufeff${document(paragraph('đ'))}`),
      '\ufeff<?xml',
    ],
    ['UTF-16LE', Buffer.from(`\ufeff${document(paragraph('đ'))}`, 'utf16le'), '<?xml'],
    ['UTF-16BE', Buffer.from(`\ufeff${document(paragraph('đ'))}`, 'utf16le').swap16(), '<?xml'],
  ])('reads a part in %s', async (_, content, begin) => {
    const pkg = await openDocx(makeDocx({ entries: { 'word/document.xml': content } }));
    const xml = readXml(pkg, 'word/document.xml');
    expect(xml.startsWith(begin)).toBe(true);
    expect(xml).toContain('>đ</w:t>');
    expect(xml).toContain('encoding="UTF-8"');
  });
});

describe('an archive', () => {
  const bomb = Buffer.alloc(8 * MIB);
  it.each<[string, Buffer, string]>([
    ['is empty', Buffer.alloc(0), 'UNSUPPORTED_FILE_TYPE'],
    ['is a PDF', Buffer.from('%PDF-1.7\n'), 'UNSUPPORTED_FILE_TYPE'],
    ['is an OLE file', Buffer.from('d0cf11e0a1b11ae100', 'hex'), 'UNSUPPORTED_FILE_TYPE'],
    [
      'is an encrypted OLE file',
      Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      'ENCRYPTED_DOCX',
    ],
    ['is another archive', zipped({ 'a.txt': 'a' }), 'UNSUPPORTED_FILE_TYPE'],
    ['is cut off', rawZip(archive()).subarray(0, -30), 'INVALID_DOCX'],
    ['is on several disks', rawZip(archive(), { disk: 1 }), 'INVALID_DOCX'],
    [
      'unpacks to 300 MiB',
      rawZip(archive({ name: 'b', content: bomb, declaredSize: 300 * MIB })),
      'DOCX_TOO_COMPLEX',
    ],
    [
      'unpacks to more than it declares',
      rawZip(archive({ name: 'b', content: bomb, declaredSize: 1_000 })),
      'INVALID_DOCX',
    ],
    [
      'is compressed more than 100 to 1',
      rawZip(archive({ name: 'b', content: bomb.subarray(0, 2 * MIB) })),
      'DOCX_TOO_COMPLEX',
    ],
    [
      'declares more entries than it may have',
      rawZip(archive(), { count: 65_000 }),
      'DOCX_TOO_COMPLEX',
    ],
    ['declares more entries than it has', rawZip(archive(), { count: 1_000 }), 'INVALID_DOCX'],
    [
      'has two main documents',
      rawZip([...archive(), { name: 'word/document.xml', content: 'x' }]),
      'INVALID_DOCX',
    ],
    [
      'has names that differ by case',
      rawZip([...archive(), { name: 'WORD/document.xml', content: 'x' }]),
      'INVALID_DOCX',
    ],
    ['leaves its folder', rawZip(archive({ name: '../../evil', content: 'x' })), 'INVALID_DOCX'],
    ['has an absolute name', rawZip(archive({ name: '/etc/x', content: 'x' })), 'INVALID_DOCX'],
    ['has a drive', rawZip(archive({ name: 'C:/x', content: 'x' })), 'INVALID_DOCX'],
    ['has a backslash', rawZip(archive({ name: 'word\\x', content: 'x' })), 'INVALID_DOCX'],
    ['has a null in a name', rawZip(archive({ name: 'a\0b', content: 'x' })), 'INVALID_DOCX'],
    [
      'has a symbolic link',
      rawZip(archive({ name: 'l', content: '/etc/passwd', attributes: 0o120777 * 65_536 })),
      'INVALID_DOCX',
    ],
    [
      'has an encrypted entry',
      rawZip(archive({ name: 'e', content: 'x', flags: 1 })),
      'ENCRYPTED_DOCX',
    ],
    [
      'has strong encryption',
      rawZip(archive({ name: 'e', content: 'x', flags: 0x41 })),
      'INVALID_DOCX',
    ],
    [
      'has an unknown compression',
      rawZip(archive({ name: 'e', content: 'x', method: 12 })),
      'INVALID_DOCX',
    ],
    ['has a wrong checksum', rawZip(archive({ name: 'e', content: 'x', crc: 7 })), 'INVALID_DOCX'],
    [
      'has entries that overlap',
      rawZip(archive({ name: 'a', content: 'x', offset: 0 })),
      'INVALID_DOCX',
    ],
    [
      'points behind its end',
      rawZip(archive({ name: 'a', content: 'x', offset: 0x7fff_ffff })),
      'INVALID_DOCX',
    ],
    [
      'declares sizes of ZIP64 that are not there',
      rawZip(archive({ name: 'a', content: 'x', declaredSize: 0xffff_ffff })),
      'DOCX_TOO_COMPLEX',
    ],
    [
      'has data that is no deflate',
      rawZip(archive({ name: 'a', content: 'xxxx', data: Buffer.from([7, 255, 1]) })),
      'INVALID_DOCX',
    ],
  ])('that %s is refused', async (_, bytes, code) => {
    expect(await outcome(bytes)).toBe(code);
  });

  it('of 100,000 entries is refused before they are read', async () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => ({
      name: `${index}`,
      content: '',
      method: 0,
    }));
    expect(await outcome(rawZip(entries, { count: 34_464 }))).toBe('DOCX_TOO_COMPLEX');
  });

  it('holds its limits together too', async () => {
    const limits = { ...docxLimits, totalBytes: 3_000 };
    const entries = { a: 'x'.repeat(1_500), b: 'x'.repeat(1_500) };
    expect(await outcome(makeDocx({}), limits)).toBe('taken');
    expect(await outcome(makeDocx({ entries }), limits)).toBe('DOCX_TOO_COMPLEX');
  });
});

describe('a part', () => {
  const body = (content: string | Uint8Array): Buffer =>
    makeDocx({ entries: { 'word/document.xml': content } });
  const root = document('');
  it.each<[string, string | Uint8Array, string]>([
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
  ])('that %s is refused', async (_, content, code) => {
    expect(await outcome(body(content))).toBe(code);
  });

  it('with too many tokens or too large an attribute is refused', async () => {
    const limits = { ...docxLimits, xmlTokens: 1_000, partBytes: 10_000 };
    expect(await outcome(body(document('<w:p/>'.repeat(1_000))), limits)).toBe('DOCX_TOO_COMPLEX');
    const large = document(`<w:p w:a="${'x'.repeat(20_000)}"/>`);
    expect(await outcome(body(large), limits)).toBe('DOCX_TOO_COMPLEX');
    expect(await outcome(body(large))).toBe('taken');
  });

  it('that nobody reads is checked too', async () => {
    const entries = { 'customXml/item1.xml': '<!DOCTYPE a><a/>' };
    expect(await outcome(makeDocx({ entries }))).toBe('INVALID_DOCX');
  });

  it('that takes in another file is refused', async () => {
    const chunk = relationship('c', 'aFChunk', 'chunk.html');
    expect(await outcome(makeDocx({ relationships: chunk }))).toBe('INVALID_DOCX');
  });
});

describe('macros', () => {
  const type = (name: string, content: string): string =>
    `<Override PartName="/${name}" ContentType="${content}"/>`;
  it.each([
    [
      'a macro-enabled document',
      { mainType: 'application/vnd.ms-word.document.macroEnabled.main+xml' },
    ],
    [
      'a macro-enabled template',
      { mainType: 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml' },
    ],
    ['vbaProject.bin', { entries: { 'word/vbaProject.bin': 'x' } }],
    [
      'a macro project under another name',
      {
        types: type('word/image1.png', 'application/vnd.ms-office.vbaProject'),
        entries: { 'word/image1.png': 'x' },
      },
    ],
    ['a relationship to one', { relationships: relationship('v', 'vbaProject', 'x.bin') }],
    ['an ActiveX control', { entries: { 'word/activeX/activeX1.xml': '<a/>' } }],
  ])('in the form of %s are refused', async (_, parts) => {
    expect(await outcome(makeDocx(parts))).toBe('MACROS_NOT_ALLOWED');
  });

  it('are not asked for in other files of Office', async () => {
    const mainType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
    expect(await outcome(makeDocx({ mainType }))).toBe('UNSUPPORTED_FILE_TYPE');
  });
});
