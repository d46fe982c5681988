import { describe, expect, it } from 'vitest';
import {
  type DocxLimits,
  DocxRefused,
  docxLimits,
  openDocx,
  readXml,
} from '../../../../../shared/docx/index.ts';
import { hostileArchives, manyEntries } from '../../../../helpers/docx/hostile/archives.ts';
import { hostileMacros } from '../../../../helpers/docx/hostile/macros.ts';
import { hostileParts, withBody } from '../../../../helpers/docx/hostile/parts.ts';
import {
  document,
  docxEntries,
  makeDocx,
  paragraph,
  relationship,
  relationships,
  zipped,
} from '../../../../helpers/docx/make-docx.ts';

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
  it.each(hostileArchives())('that %s is refused', async (_, bytes, code) => {
    expect(await outcome(bytes)).toBe(code);
  });

  it('of 100,000 entries is refused before they are read', async () => {
    expect(await outcome(manyEntries())).toBe('DOCX_TOO_COMPLEX');
  });

  it('holds its limits together too', async () => {
    const limits = { ...docxLimits, totalBytes: 3_000 };
    const entries = { a: 'x'.repeat(1_500), b: 'x'.repeat(1_500) };
    expect(await outcome(makeDocx({}), limits)).toBe('taken');
    expect(await outcome(makeDocx({ entries }), limits)).toBe('DOCX_TOO_COMPLEX');
  });
});

describe('a part', () => {
  it.each(hostileParts())('that %s is refused', async (_, bytes, code) => {
    expect(await outcome(bytes)).toBe(code);
  });

  it('with too many tokens or too large an attribute is refused', async () => {
    const limits = { ...docxLimits, xmlTokens: 1_000, partBytes: 10_000 };
    expect(await outcome(withBody(document('<w:p/>'.repeat(1_000))), limits)).toBe(
      'DOCX_TOO_COMPLEX',
    );
    const large = document(`<w:p w:a="${'x'.repeat(20_000)}"/>`);
    expect(await outcome(withBody(large), limits)).toBe('DOCX_TOO_COMPLEX');
    expect(await outcome(withBody(large))).toBe('taken');
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
  it.each(hostileMacros())('in the form of %s are refused', async (_, bytes, code) => {
    expect(await outcome(bytes)).toBe(code);
  });

  it('are not asked for in other files of Office', async () => {
    const mainType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
    expect(await outcome(makeDocx({ mainType }))).toBe('UNSUPPORTED_FILE_TYPE');
  });
});
