import { describe, expect, it } from 'vitest';
import {
  type NormalisedDocx,
  normaliseDocx,
  openDocx,
  readXml,
  tagOf,
  writeDocx,
} from '../../../../shared/docx/index.ts';
import {
  type DocxParts,
  document,
  docxEntries,
  makeDocx,
  paragraph,
  relationship,
  relationships,
  run,
} from '../../../helpers/docx/make-docx.ts';
import {
  character,
  complexField,
  control,
  instruction,
  simpleField,
  textBox,
} from '../../../helpers/docx/word-fields.ts';

const MAIN = 'word/document.xml';

/** Normalises, and holds the result to being final. */
async function normalise(
  parts: DocxParts,
  declared: readonly string[] = [],
): Promise<NormalisedDocx> {
  const normalised = normaliseDocx(await openDocx(makeDocx(parts)), { declared });
  const file = writeDocx(normalised.pkg);
  const again = normaliseDocx(await openDocx(file), { declared });
  expect(writeDocx(again.pkg).equals(file)).toBe(true);
  return normalised;
}

/** The body of a document after it was normalised. */
async function body(content: string, declared: readonly string[] = []): Promise<string> {
  const { pkg } = await normalise({ body: content }, declared);
  return readXml(pkg, MAIN).replace(/^.*<w:body>|<\/w:body>.*$/gs, '');
}

const codes = ({ warnings }: NormalisedDocx): string[] => warnings.map(({ code }) => code);

/** The control of a field. */
function own(
  name: string,
  more: { id?: number; rPr?: string; text?: string; kept?: string } = {},
): string {
  const { id = 1_000_000_001, rPr = '', text = `{{${name}}}`, kept = '' } = more;
  return `<w:sdt><w:sdtPr>${rPr}<w:alias w:val="${name}"/><w:tag w:val="svc:mf:${name}"/><w:id w:val="${id}"/>${kept}<w:text w:multiLine="1"/></w:sdtPr><w:sdtContent><w:r>${rPr}<w:t>${text}</w:t></w:r></w:sdtContent></w:sdt>`;
}
const second = { id: 1_000_000_002 };
const BOLD = '<w:rPr><w:b/></w:rPr>';

describe('normaliseDocx', () => {
  it('makes every style of marker a control', async () => {
    expect(await body(paragraph('{{ a }}', '[[b]]'))).toBe(
      `<w:p>${own('a')}${own('b', second)}</w:p>`,
    );
    expect(await body(`<w:p>${simpleField('MERGEFIELD a', '«a»')}</w:p>`)).toBe(
      `<w:p>${own('a')}</w:p>`,
    );
    expect(await body(`<w:p>${complexField(['MERGE', 'FIELD a'], '«a»')}</w:p>`)).toBe(
      `<w:p>${own('a')}</w:p>`,
    );
    expect(await body(paragraph('«a»'))).toBe(`<w:p>${own('a', { text: '«a»' })}</w:p>`);
  });

  it('keeps what stands around in runs of the same format', async () => {
    const rich = `<w:r w:rsidR="1">${BOLD}<w:t>Dear {{a}} and {{b}}, &amp; so on</w:t></w:r>`;
    const kept = (text: string): string =>
      `<w:r w:rsidR="1">${BOLD}<w:t xml:space="preserve">${text}</w:t></w:r>`;
    expect(await body(`<w:p>${rich}</w:p>`)).toBe(
      `<w:p>${kept('Dear ')}${own('a', { rPr: BOLD })}${kept(' and ')}${own('b', { rPr: BOLD, ...second })}${kept(', &amp; so on')}</w:p>`,
    );
  });

  it('keeps other content of a run where it is', async () => {
    const mixed = '<w:r><w:tab/><w:t>{{a}}</w:t><w:br/><w:t>{{b}}</w:t><w:tab/></w:r>';
    expect(await body(`<w:p>${mixed}</w:p>`)).toBe(
      `<w:p><w:r><w:tab/></w:r>${own('a')}<w:r><w:br/></w:r>${own('b', second)}<w:r><w:tab/></w:r></w:p>`,
    );
  });

  it('takes the format of the first character, and keeps bookmarks before the control', async () => {
    const mark = '<w:bookmarkStart w:id="0" w:name="n"/>';
    const split = `<w:p><w:r>${BOLD}<w:t>{{</w:t></w:r><w:proofErr w:type="spellStart"/>${mark}${run('a}}')}</w:p>`;
    expect(await body(split)).toBe(`<w:p>${mark}${own('a', { rPr: BOLD })}</w:p>`);
  });

  it('takes the format of a MERGEFIELD from its result, or by CHARFORMAT from its instruction', async () => {
    const field = (text: string): string =>
      `<w:p>${character('begin')}${instruction(text, '<w:rPr><w:i/></w:rPr>')}${character('separate')}<w:r>${BOLD}<w:t>x</w:t></w:r>${character('end')}</w:p>`;
    expect(await body(field('MERGEFIELD a \\* MERGEFORMAT'))).toContain(own('a', { rPr: BOLD }));
    expect(await body(field('MERGEFIELD a \\* CHARFORMAT'))).toContain(
      own('a', { rPr: '<w:rPr><w:i/></w:rPr>' }),
    );
  });

  it('keeps switches in the text', async () => {
    const field = simpleField('MERGEFIELD d \\@ "dd/MM" \\* MERGEFORMAT', 'x');
    expect(await body(`<w:p>${field}${run('{{e|upper}}')}</w:p>`)).toBe(
      `<w:p>${own('d', { text: '{{d \\@ "dd/MM"}}' })}${own('e', { ...second, text: '{{e|upper}}' })}</w:p>`,
    );
  });

  it('puts a marker together that begins in one element and ends in another', async () => {
    const link = `<w:hyperlink w:anchor="x">${run('b}} more')}</w:hyperlink>`;
    expect(await body(`<w:p>${run('to {{a')}${link}</w:p>`)).toBe(
      `<w:p><w:r><w:t xml:space="preserve">to </w:t></w:r>${own('ab')}<w:hyperlink w:anchor="x"><w:r><w:t xml:space="preserve"> more</w:t></w:r></w:hyperlink></w:p>`,
    );
  });

  it('puts a field over paragraphs into the first', async () => {
    const field = `<w:p>${run('x')}${character('begin')}${instruction('MERGEFIELD a')}${character('separate')}${run('one')}</w:p><w:p>${run('two')}${character('end')}${run('y')}</w:p>`;
    expect(await body(field)).toBe(`<w:p>${run('x')}${own('a')}${run('y')}</w:p>`);
  });

  it('gives both copies of a text box controls, with numbers of their own', async () => {
    const normalised = await body(`<w:p>${textBox(paragraph('{{a}}'))}</w:p>`);
    expect(normalised).toContain(own('a'));
    expect(normalised).toContain(own('a', second));
  });

  it('uses no number twice', async () => {
    const other = control('<w:id w:val="1000000001"/>', run('x'));
    expect(await body(`<w:p>${run('{{a}}')}${other}</w:p>`)).toContain(own('a', second));
    const twice = `<w:p>${own('a')}${own('a')}</w:p>`;
    expect(await body(twice)).toBe(`<w:p>${own('a')}${own('a', second)}</w:p>`);
  });

  it('names the control of a long name by a digest, and knows it again', async () => {
    const name = `n${'ab'.repeat(45)}`;
    const normalised = await body(paragraph(`{{${name}}}`));
    expect(tagOf(name)).toMatch(/^svc:mf:#[0-9a-f]{12}$/);
    expect(normalised).toContain(`<w:tag w:val="${tagOf(name)}"/>`);
  });

  it('writes the prefixes of the file', async () => {
    const xml = document(paragraph('{{a}}')).replaceAll('w:', 'x:').replace('xmlns:w=', 'xmlns:x=');
    const { pkg } = await normalise({ entries: { [MAIN]: xml } });
    expect(readXml(pkg, MAIN)).toContain(own('a').replaceAll('w:', 'x:'));
    const bare = xml.replaceAll('x:', '').replace('xmlns:x=', 'xmlns=');
    const withoutPrefix = bare
      .replace('xmlnsw=', 'xmlns=')
      .replace(/xmlns:?x?="(http:[^"]*wordprocessingml\/2006\/main)"/, 'xmlns="$1"');
    const normalised = await normalise({ entries: { [MAIN]: withoutPrefix } });
    expect(readXml(normalised.pkg, MAIN)).toContain('<tag svcw:val="svc:mf:a"/>');
  });

  it('reads UTF-16 and writes UTF-8', async () => {
    const xml = Buffer.from(`\ufeff${document(paragraph('đ'))}`, 'utf16le');
    const { pkg } = await normalise({ entries: { [MAIN]: xml } });
    expect(String(Buffer.from(pkg.entries.get(MAIN) ?? []))).toBe(document(paragraph('đ')));
  });

  it('leaves a document without markers as it is, byte for byte', async () => {
    const parts = { body: `${paragraph('text «với» {{#x}}')}<w:sectPr/>`, header: paragraph('') };
    const { pkg } = await normalise(parts);
    for (const [name, content] of Object.entries(docxEntries(parts)))
      expect(String(Buffer.from(pkg.entries.get(name) ?? []))).toBe(content);
  });

  it('makes a document of a template', async () => {
    const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
    const { pkg } = await normalise({ mainType: `${word}.template.main+xml` });
    expect(readXml(pkg, '[Content_Types].xml')).toContain(`${word}.document.main+xml`);
    expect(pkg.contentTypes.typeOf(MAIN)).toBe(`${word}.document.main+xml`);
  });
});

describe('a control of the file', () => {
  it('becomes that of the field when the marker is its whole content, and keeps its lock', async () => {
    const lock = '<w:lock w:val="sdtLocked"/>';
    const plain = control(`<w:alias w:val="Old"/><w:id w:val="5"/>${lock}<w:text/>`, run('{{a}}'));
    expect(await body(`<w:p>${plain}</w:p>`)).toBe(`<w:p>${own('a', { id: 5, kept: lock })}</w:p>`);
  });

  it('of the editor becomes one of ours, whatever it shows', async () => {
    const editor = control(
      '<w:alias w:val="Tên"/><w:tag w:val="merge:a"/><w:id w:val="5"/>',
      run('Tên'),
    );
    expect(await body(`<w:p>${editor}</w:p>`)).toBe(`<w:p>${own('a', { id: 5 })}</w:p>`);
  });

  it.each([
    ['of the editor', '<w:tag w:val="merge:a"/>', 'Tên'],
    ['of plain text', '<w:text/>', '{{a}}'],
    ['that is ours', '<w:alias w:val="a"/><w:tag w:val="svc:mf:a"/>', '{{a}}'],
  ])('%s around a paragraph or a cell goes into the paragraph', async (_, properties, text) => {
    const line = (inside: string) => `<w:p><w:pPr><w:jc w:val="left"/></w:pPr>${inside}</w:p>`;
    const block = control(`${properties}<w:id w:val="5"/>`, line(run(text)));
    const cell = control(properties, `<w:tc><w:tcPr/>${line(run(text))}</w:tc>`);
    const table = (inside: string) => `<w:tbl><w:tr>${inside}</w:tr></w:tbl>`;

    expect(await body(block + table(cell))).toBe(
      line(own('a', { id: 5 })) + table(`<w:tc><w:tcPr/>${line(own('a'))}</w:tc>`),
    );
  });

  it('around more than a marker stays where it is', async () => {
    const blocks =
      control('<w:text/>', paragraph('Dear {{a}}')) +
      control('<w:tag w:val="merge:a"/>', paragraph('b') + paragraph('c'));

    expect(await body(blocks)).toBe(blocks);
  });

  it('that lost its tag is known by its text', async () => {
    const stripped = control('<w:alias w:val="a"/><w:text/>', run('{{a}}'));
    expect(await body(`<w:p>${stripped}</w:p>`)).toBe(`<w:p>${own('a')}</w:p>`);
  });

  it('of a field whose text was deleted shows it again', async () => {
    const emptied = control(
      '<w:alias w:val="a"/><w:tag w:val="svc:mf:a"/><w:id w:val="5"/><w:showingPlcHdr/><w:text/>',
      run('Click here'),
    );
    expect(await body(`<w:p>${emptied}</w:p>`)).toBe(`<w:p>${own('a', { id: 5 })}</w:p>`);
  });

  it('of a field in which more was written gives up that text', async () => {
    const more = own('a').replace('{{a}}', 'Mr {{a}}, {{b}}');
    expect(await body(`<w:p>${more}</w:p>`)).toBe(
      `<w:p><w:r><w:t xml:space="preserve">Mr </w:t></w:r>${own('a')}<w:r><w:t xml:space="preserve">, </w:t></w:r>${own('b', second)}</w:p>`,
    );
  });

  it('that holds other text too keeps its text', async () => {
    const plain = `<w:p>${control('<w:id w:val="5"/><w:text/>', run('No. {{a}}'))}</w:p>`;
    expect(await body(plain)).toBe(plain);
  });

  it('may have others in it when it is no plain one', async () => {
    const rich = (content: string): string => `<w:p>${control('<w:id w:val="5"/>', content)}</w:p>`;
    expect(await body(rich(run('{{a}}')))).toBe(rich(own('a')));
  });

  it('takes no text from data, and is no placeholder, once it has a marker', async () => {
    const bound = control(
      '<w:id w:val="5"/><w:showingPlcHdr/><w:dataBinding w:xpath="/x"/>',
      run('{{a}} x'),
    );
    const normalised = await normalise({ body: `<w:p>${bound}</w:p>` });
    expect(readXml(normalised.pkg, MAIN)).not.toMatch(/dataBinding|showingPlcHdr/);
    expect(codes(normalised)).toEqual(['DATA_BOUND_CONTROL']);
    const other = control('<w:id w:val="5"/><w:dataBinding w:xpath="/x"/><w:text/>', run('x'));
    expect(await body(`<w:p>${other}</w:p>`)).toContain('dataBinding');
  });
});

describe('what a document would take in', () => {
  it.each([
    ['attachedTemplate', 'settings', '<w:attachedTemplate r:id="e"/>', 'http://evil.test/a.dotm'],
    ['attachedTemplate', 'settings', '<w:attachedTemplate r:id="e"/>', 'file:///c:/a.dotm'],
    [
      'frame',
      'settings',
      '<w:frameset><w:frame><w:sourceFileName r:id="e"/></w:frame></w:frameset>',
      '\\\\evil\\a',
    ],
    [
      'mailMergeSource',
      'settings',
      '<w:mailMerge><w:dataSource r:id="e"/></w:mailMerge>',
      'file:///x.csv',
    ],
  ])('by %s is removed', async (type, part, element, target) => {
    const normalised = await normalise({
      [part]: element,
      entries: {
        [`word/_rels/${part}.xml.rels`]: relationships(relationship('e', type, target, 'External')),
      },
    });
    expect(codes(normalised)).toEqual(['EXTERNAL_RESOURCE_REMOVED']);
    const all = [...normalised.pkg.entries]
      .map(([, content]) => String(Buffer.from(content)))
      .join('');
    expect(all).not.toContain('r:id="e"');
    expect(all).not.toContain(target);
  });

  it.each([
    ['subDocument', '<w:subDoc r:id="e"/>', ''],
    [
      'oleObject',
      '<w:r><w:object><o:OLEObject Type="Link" r:id="e"/></w:object></w:r>',
      '<w:r><w:object></w:object></w:r>',
    ],
    [
      'image',
      '<w:r><w:drawing><a:blip r:link="e" x="1"/></w:drawing></w:r>',
      '<w:r><w:drawing><a:blip  x="1"/></w:drawing></w:r>',
    ],
  ])('by %s from outside is removed, with what refers to it', async (type, before, after) => {
    const { pkg } = await normalise({
      body: `<w:p>${before}</w:p>`,
      relationships: relationship('e', type, 'http://evil.test/x', 'External'),
    });
    expect(readXml(pkg, MAIN)).toContain(`<w:p>${after}</w:p>`);
  });

  it.each([
    ['https://a.test/?x=1', true],
    ['mailto:a@b.test', true],
    ['#place', true],
    ['%7B%7Blink%7D%7D', true],
    ['https://a.test/[[id]]', true],
    ['javascript:alert(1)', false],
    ['file:///etc/passwd', false],
    ['ftp://a.test', false],
    ['\\\\server\\share', false],
  ])('a link to %s stays: %s', async (target, stays) => {
    const { pkg, warnings } = await normalise({
      body: `<w:p><w:hyperlink r:id="e">${run('x')}</w:hyperlink></w:p>`,
      relationships: relationship('e', 'hyperlink', target, 'External'),
    });
    expect(readXml(pkg, MAIN).includes('r:id="e"')).toBe(stays);
    expect(readXml(pkg, 'word/_rels/document.xml.rels').includes('hyperlink')).toBe(stays);
    expect(warnings).toHaveLength(stays ? 0 : 1);
  });

  it.each([
    'INCLUDEPICTURE "http://x"',
    'INCLUDETEXT "c:\\\\a"',
    'DDEAUTO excel a',
    'dde a',
    'LINK x',
    'IMPORT x',
  ])('by the field %s stays as its last result', async (text) => {
    const complex = await normalise({ body: `<w:p>${complexField([text], 'result')}</w:p>` });
    expect(readXml(complex.pkg, MAIN)).toContain(
      `<w:p>${run('result').replace(' xml:space="preserve"', '')}`,
    );
    expect(readXml(complex.pkg, MAIN)).not.toMatch(/fldChar|instrText/);
    expect(codes(complex)).toEqual(['EXTERNAL_RESOURCE_REMOVED']);
    const simple = await normalise({ body: `<w:p>${simpleField(text, 'result')}</w:p>` });
    expect(readXml(simple.pkg, MAIN)).toContain(`<w:p>${run('result')}</w:p>`);
  });

  it('goes with the fields in its instruction', async () => {
    const nested = `${character('begin')}${instruction('INCLUDEPICTURE "')}${complexField(['MERGEFIELD a'], 'x')}${instruction('"')}${character('separate')}${run('{{b}}')}${character('end')}`;
    const normalised = await body(`<w:p>${nested}</w:p>`);
    expect(normalised).toContain(own('b'));
    expect(normalised).not.toContain('MERGEFIELD');
  });
});

describe('a signature', () => {
  it('is removed, since a change breaks it', async () => {
    const origin = 'application/vnd.openxmlformats-package.digital-signature-origin';
    const normalised = await normalise({
      types: `<Default Extension="sigs" ContentType="${origin}"/><Override PartName="/_xmlsignatures/sig1.xml" ContentType="application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml"/>`,
      entries: {
        '_rels/.rels': relationships(
          relationship('r1', 'officeDocument', MAIN) +
            relationship('r2', 'digital-signature/origin', '_xmlsignatures/origin.sigs'),
        ),
        '_xmlsignatures/origin.sigs': '',
        '_xmlsignatures/sig1.xml': '<a/>',
        '_xmlsignatures/_rels/origin.sigs.rels': relationships(
          relationship('r1', 'digital-signature/signature', 'sig1.xml'),
        ),
      },
    });
    expect(codes(normalised)).toEqual(['SIGNATURE_REMOVED']);
    const { entries } = normalised.pkg;
    expect([...entries.keys()].filter((name) => name.includes('signature'))).toEqual([]);
    expect(readXml(normalised.pkg, '[Content_Types].xml')).not.toContain('signature');
    expect(readXml(normalised.pkg, '_rels/.rels')).not.toContain('signature');
  });
});
