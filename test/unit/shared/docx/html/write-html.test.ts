import { describe, expect, it } from 'vitest';
import { openDocx, writeHtml } from '../../../../../shared/docx/index.ts';
import { docxFixtures, readFixture } from '../../../../helpers/docx/fixture-folder.ts';
import { readParagraphs } from '../../../../helpers/docx/independent-reader.ts';
import {
  type DocxParts,
  makeDocx,
  paragraph,
  relationship,
  run,
} from '../../../../helpers/docx/make-docx.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const section =
  '<w:sectPr><w:headerReference w:type="default" r:id="rId_header"/><w:footerReference w:type="default" r:id="rId_footer"/></w:sectPr>';

async function pageOf(parts: DocxParts) {
  return writeHtml(await openDocx(makeDocx(parts)), { title: 'A <title>', language: 'vi' });
}

/** What people read: without tags, one blank between words. */
const textOf = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>|<title>.*?<\/title>/gs, '')
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** Without what readers of text differ about: blanks, hyphens of lines and signs of symbol fonts. */
const flat = (text: string): string => text.replace(/[\s\u00ad\u2011\ue000-\uf8ff]/g, '');

describe('a document as a page', () => {
  it('shows header, text, boxes, tables, notes and footer in order', async () => {
    const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
    const { html } = await pageOf({
      header: paragraph('Đầu trang'),
      footer: paragraph('Chân trang'),
      footnotes: `<w:footnote w:id="2">${paragraph('The note')}</w:footnote>`,
      body: `${paragraph('Before')}<w:p>${run('Anchor')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box('In the box')}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box('In the box')}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>
        <w:tbl><w:tr><w:tc>${paragraph('Cell')}</w:tc></w:tr></w:tbl>
        <w:p>${run('Noted')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>${section}`,
    });

    expect(textOf(html).replace(/\s+/g, ' ').trim()).toBe(
      'Đầu trangBefore AnchorIn the box Cell Noted1Chân trang The note↑',
    );
    expect(html).toContain('href="#footnote-1"');
    expect(html).toContain('<li id="footnote-1">');
  });

  it('shows headers where pages have them, each once', async () => {
    const reference = (type: string, id: string) =>
      `<w:headerReference w:type="${type}" r:id="${id}"/>`;
    const section = (...inside: readonly string[]) =>
      `<w:sectPr>${reference('first', 'a')}${reference('even', 'b')}${inside.join('')}</w:sectPr>`;
    const parts = ['a', 'b', 'rId_header'];
    const [none, first] = await Promise.all(
      ['', '<w:titlePg/>'].map((title) =>
        pageOf({
          header: paragraph('all'),
          body: `<w:sdt><w:sdtContent><w:p><w:pPr>${section()}</w:pPr>${run('one')}</w:p></w:sdtContent></w:sdt>${paragraph('two')}<w:sectPr>${reference('default', parts[2] ?? '')}${title}</w:sectPr>`,
          entries: Object.fromEntries(
            ['a', 'b'].map((name) => [
              `word/${name}.xml`,
              `<w:hdr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${paragraph(`of ${name}`)}</w:hdr>`,
            ]),
          ),
          relationships:
            relationship('a', 'header', 'a.xml') + relationship('b', 'header', 'b.xml'),
          types: ['a', 'b']
            .map(
              (name) =>
                `<Override PartName="/word/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"/>`,
            )
            .join(''),
        }),
      ),
    );

    const words = (page = '') => textOf(page).split(/\s+/).filter(Boolean).join(' ');
    expect(words(none?.html)).toBe('one alltwo');
    expect(words(first?.html)).toBe('one of aalltwo');
  });

  it('is printed on the pages of its sections', async () => {
    const size = (width: number, height: number, more = '') =>
      `<w:sectPr>${more}<w:pgSz w:w="${width}" w:h="${height}"/><w:pgMar w:top="720" w:right="1440" w:bottom="-720" w:left="1440"/></w:sectPr>`;
    const ends = (section: string) => `<w:p><w:pPr>${section}</w:pPr>${run('a')}</w:p>`;
    const { html } = await pageOf({
      body: `${ends(size(11_906, 16_838))}${ends(size(11_906, 16_838, '<w:type w:val="continuous"/>'))}${ends(size(16_838, 11_906))}${paragraph('b')}<w:sectPr><w:pgSz w:w="99999" w:h="x"/></w:sectPr>`,
    });

    expect(html.match(/@page .*?\}/g)).toEqual([
      '@page pages-1{size:595.3pt 841.9pt;margin:36pt 72pt 36pt 72pt}',
      '@page pages-2{size:841.9pt 595.3pt;margin:36pt 72pt 36pt 72pt}',
    ]);
    expect(html.match(/<section[^>]*>/g)).toEqual([
      '<section style="page:pages-1">',
      '<section style="page:pages-1">',
      '<section class="next" style="page:pages-2">',
      '<section class="next">',
    ]);
  });

  it('loads nothing, runs nothing and escapes what is written', async () => {
    const hostile = '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror="a"&gt;';
    const { html } = await pageOf({
      body: `<w:p><w:r><w:rPr><w:rFonts w:ascii="a;}&lt;/style&gt;&quot; onclick=&quot;x"/><w:color w:val="red;background:url(//x)"/></w:rPr><w:t>${hostile}</w:t></w:r>
        <w:hyperlink r:id="js"><w:r><w:t>js</w:t></w:r></w:hyperlink><w:hyperlink r:id="web"><w:r><w:t>web</w:t></w:r></w:hyperlink></w:p>`,
      relationships:
        relationship('js', 'hyperlink', 'javascript:alert(1)', 'External') +
        relationship('web', 'hyperlink', 'https://example.org/?a=1&amp;b=%22', 'External'),
    });

    expect(html).not.toMatch(/<script|<img|javascript:|url\(|onclick=/);
    expect(html).toContain('<title>A &#60;title&#62;</title>');
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;`,
    );
    expect(html).toContain('href="https://example.org/?a=1&#38;b=%22"');
    expect(textOf(html)).toContain('<script>alert(1)</script><img src=x onerror="a">');
  });

  it('leaves out what is no image in no time, however many comments it begins with', async () => {
    const { html } = await pageOf({
      body: '<w:p><w:r><w:pict><v:shape style="width:20pt;height:10pt"><v:imagedata r:id="png"/></v:shape></w:pict></w:r></w:p>',
      relationships: relationship('png', 'image', 'media/a.png'),
      entries: { 'word/media/a.png': Buffer.from(`${'<!---->'.repeat(40)}no image`) },
      types: '<Default Extension="png" ContentType="image/png"/>',
    });

    expect(html).not.toContain('<img');
  });

  it('holds its images, and says when it leaves one out', async () => {
    const picture = (id: string) =>
      `<w:p><w:r><w:pict><v:shape style="width:20pt;height:10pt"><v:imagedata r:id="${id}"/></v:shape></w:pict></w:r></w:p>`;
    const images = (...ids: readonly string[]): DocxParts => ({
      body: ids.map(picture).join(''),
      relationships:
        relationship('png', 'image', 'media/a.png') + relationship('emf', 'image', 'media/b.emf'),
      entries: { 'word/media/a.png': PIXEL, 'word/media/b.emf': Buffer.from('a drawing') },
      types:
        '<Default Extension="png" ContentType="image/png"/><Default Extension="emf" ContentType="image/x-emf"/>',
    });

    const [shown, left] = [await pageOf(images('png')), await pageOf(images('png', 'emf'))];

    const image = `<img src="data:image/png;base64,${PIXEL.toString('base64')}" alt="" style="width:20pt;height:10pt">`;
    expect(shown.html).toContain(image);
    expect(shown.warnings).toEqual([]);
    expect(left.html).toContain(image);
    expect(left.warnings).toEqual(['UNSUPPORTED_CONTENT']);
  });

  it('shows results of fields and inserted text, neither instructions nor deleted text', async () => {
    const character = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const { html } = await pageOf({
      body: `<w:p>${character('begin')}<w:r><w:instrText> IF </w:instrText></w:r>${character('begin')}<w:r><w:t>hidden</w:t></w:r>${character('end')}${character('separate')}${run('seen')}</w:p><w:p>${run('still seen')}${character('end')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>${run(' new')}</w:ins></w:p>`,
    });

    expect(textOf(html).trim()).toBe('seen\nstill seen new');
  });

  it('joins the cells of a table as the document does', async () => {
    const cell = (properties: string, text: string) =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
    const { html } = await pageOf({
      body: `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('<w:gridSpan w:val="2"/>', 'wide')}${cell('', 'c')}</w:tr>
        <w:tr>${cell('<w:vMerge w:val="restart"/>', 'tall')}${cell('', 'b1')}${cell('', 'c1')}</w:tr>
        <w:tr>${cell('<w:vMerge/>', '')}${cell('', 'b2')}${cell('', 'c2')}</w:tr></w:tbl>`,
    });

    expect(html.replace(/<\/?(?:p|br)[^>]*>|\n/g, '')).toContain(
      '<table><thead><tr><td colspan="2">wide</td><td>c</td></tr></thead><tbody><tr><td rowspan="2">tall</td><td>b1</td><td>c1</td></tr><tr><td>b2</td><td>c2</td></tr></tbody></table>',
    );
  });

  it('counts lists by their levels', async () => {
    const level = (at: number, format: string, text: string) =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const item = (at: number, text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="7"/></w:numPr></w:pPr>${run(text)}</w:p>`;
    const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const { html } = await pageOf({
      body: [item(0, 'a'), item(1, 'b'), item(1, 'c'), item(0, 'd'), item(1, 'e')].join(''),
      relationships: relationship('n', 'numbering', 'numbering.xml'),
      entries: {
        'word/numbering.xml': `<w:numbering xmlns:w="${word}"><w:abstractNum w:abstractNumId="0">${level(0, 'upperRoman', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
      },
      types:
        '<Override PartName="/word/numbering.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/>',
    });

    expect(textOf(html).trim().split('\n')).toEqual([
      'I. a',
      'I.a) b',
      'I.b) c',
      'II. d',
      'II.a) e',
    ]);
  });

  it('looks as styles and direct formats say', async () => {
    const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const { html } = await pageOf({
      body: `<w:p><w:pPr><w:pStyle w:val="Big"/><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b w:val="0"/><w:sz w:val="28"/></w:rPr><w:t>x</w:t></w:r></w:p>`,
      relationships: relationship('s', 'styles', 'styles.xml'),
      entries: {
        'word/styles.xml': `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Base"><w:rPr><w:i/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Big"><w:basedOn w:val="Base"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:rPr><w:b/></w:rPr></w:style></w:styles>`,
      },
      types:
        '<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>',
    });

    expect(html).toContain(
      '<h2 style="font-style:italic;font-weight:bold;text-align:center"><span style="font-weight:normal;font-size:14pt">x</span></h2>',
    );
  });

  const fixtures = (docxFixtures() ?? []).filter(
    ({ fields, file }) => fields && /\.docx$/.test(file),
  );
  it.each(fixtures)('holds every text of $file, and nothing from outside', async ({ file }) => {
    const bytes = readFixture(file);

    const { html } = writeHtml(await openDocx(bytes), { title: file, language: 'en' });

    expect(html).not.toMatch(/<script|\ssrc="(?!data:)|<link|@import/i);
    const page = flat(textOf(html.replace(/<sup><a id.*?<\/sup>/g, '')));
    for (const [part, paragraphs] of readParagraphs(bytes)) {
      for (const stretches of paragraphs) {
        const text = stretches.map((each) => each.text).join('');
        // A field of Word shows its result, which the reader does not tell.
        for (const piece of text.split(/\{\{.*?\}\}/)) expect(page, part).toContain(flat(piece));
      }
    }
  });
});
