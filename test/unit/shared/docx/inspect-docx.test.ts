import { describe, expect, it } from 'vitest';
import {
  type DocxInspection,
  type DocxLimits,
  DocxRefused,
  docxLimits,
  inspectDocx,
  openDocx,
} from '../../../../shared/docx/index.ts';
import {
  type DocxParts,
  document,
  makeDocx,
  paragraph,
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

async function inspect(
  parts: DocxParts | string,
  declared: readonly string[] = [],
  limits?: DocxLimits,
): Promise<DocxInspection> {
  const file = makeDocx(typeof parts === 'string' ? { body: parts } : parts);
  return inspectDocx(await openDocx(file, limits), { declared });
}

/** Each field with its kinds and places, in short. */
const shown = ({ fields }: DocxInspection): string[] =>
  fields.map(
    ({ name, occurrences }) =>
      `${name}: ${occurrences.map(({ kind, location }) => `${kind} ${location}`).join(', ')}`,
  );
const names = ({ fields }: DocxInspection): string[] => fields.map(({ name }) => name);
const codes = ({ warnings }: DocxInspection): string[] => warnings.map(({ code }) => code);

describe('inspectDocx', () => {
  it('finds the four kinds in one paragraph', async () => {
    const inspection = await inspect(
      `<w:p>${run('{{a}} [[b]] «c» ')}${complexField(['MERGEFIELD d'], '«d»')}</w:p>`,
    );
    expect(shown(inspection)).toEqual([
      'a: MUSTACHE BODY',
      'b: BRACKET BODY',
      'c: GUILLEMET BODY',
      'd: MERGEFIELD BODY',
    ]);
    expect(inspection.summary).toEqual({
      occurrences: 4,
      distinct: 4,
      byKind: { MERGEFIELD: 1, MUSTACHE: 1, BRACKET: 1, GUILLEMET: 1 },
    });
  });

  it('says where each occurrence is', async () => {
    const table = (content: string): string =>
      `<w:tbl><w:tr><w:tc>${content}</w:tc></w:tr></w:tbl>`;
    const note = (content: string): string => `<w:footnote w:id="1">${content}</w:footnote>`;
    const field = `<w:p>${simpleField('MERGEFIELD m', '«m»')}</w:p>`;
    const inspection = await inspect({
      body: `${paragraph('{{a}}')}${table(paragraph('{{b}}'))}<w:p>${textBox(field + table(paragraph('{{c}}')))}</w:p>${table(`<w:p>${textBox(paragraph('{{d}}'))}</w:p>`)}`,
      header: table(paragraph('{{e}}')),
      footer: `<w:p>${textBox(paragraph('{{f}}'))}</w:p>`,
      footnotes: note(field + table(paragraph('{{g}}'))),
      endnotes: note(paragraph('[[h]]')),
    });
    expect(shown(inspection)).toEqual([
      'a: MUSTACHE BODY',
      'b: MUSTACHE TABLE',
      'm: MERGEFIELD TEXT_BOX, MERGEFIELD FOOTNOTE',
      'c: MUSTACHE TEXT_BOX',
      'd: MUSTACHE TEXT_BOX',
      'h: BRACKET ENDNOTE',
      'f: MUSTACHE FOOTER',
      'g: MUSTACHE FOOTNOTE',
      'e: MUSTACHE HEADER',
    ]);
  });

  it('counts the two copies of a text box once, and paragraphs as people see them', async () => {
    const { fields } = await inspect(
      `${paragraph('x')}<w:p>${textBox(paragraph('{{a}}'))}${run('{{b}}')}</w:p>${paragraph('{{a}}')}`,
    );
    expect(
      fields.flatMap(({ occurrences }) => occurrences.map((one) => `${one.name} ${one.paragraph}`)),
    ).toEqual(['b 2', 'a 3', 'a 4'].sort());
  });

  it('joins runs over what has no width', async () => {
    const split = `<w:p>${run('{')}<w:proofErr w:type="spellStart"/>${run('{a')}<w:bookmarkStart w:id="0" w:name="n"/>${run('b}')}<w:hyperlink w:anchor="x">${run('}')}</w:hyperlink></w:p>`;
    const { fields } = await inspect(split);
    expect(fields[0]).toMatchObject({ name: 'ab', occurrences: [{ splitRuns: 4, wrapped: true }] });
  });

  it.each([
    ['a tab', '<w:r><w:tab/></w:r>'],
    ['a break', '<w:r><w:br/></w:r>'],
    ['a drawing', '<w:r><w:drawing/></w:r>'],
    ['the end of a paragraph', '</w:p><w:p>'],
    ['another field', complexField(['PAGE'], '1')],
  ])('does not join over %s', async (_, between) => {
    const inspection = await inspect(`<w:p>${run('{{a')}${between}${run('b}}')}</w:p>`);
    expect(names(inspection)).toEqual([]);
    expect(inspection.warnings).toEqual([
      { code: 'UNCLOSED_MARKER', part: 'word/document.xml', paragraph: 1 },
    ]);
  });

  it.each([
    ['w:del', `<w:del w:id="1"><w:r><w:delText>{{a}}</w:delText></w:r></w:del>`],
    ['w:moveFrom', `<w:moveFrom w:id="1">${run('{{a}}')}</w:moveFrom>`],
    ['a comment of XML', '<!-- {{a}} -->'],
    ['an attribute', '<w:r w:rsidR="{{a}}"><w:t>x</w:t></w:r>'],
    ['empty braces', run('{{ }} [[]] {{}}')],
    ['guillemets around prose', run('«Hợp đồng» «два слова» «a b»')],
  ])('finds nothing in %s', async (_, content) => {
    const inspection = await inspect(`<w:p>${content}</w:p>`);
    expect([...names(inspection), ...inspection.invalid, ...inspection.warnings]).toEqual([]);
  });

  it.each([
    ['w:ins', `<w:ins w:id="1">${run('{{a}}')}</w:ins>`],
    ['w:moveTo', `<w:moveTo w:id="1">${run('{{a}}')}</w:moveTo>`],
    ['w:smartTag', `<w:smartTag w:element="x">${run('{{a}}')}</w:smartTag>`],
    ['w:customXml', `<w:customXml w:element="x">${run('{{a}}')}</w:customXml>`],
    ['a control', control('<w:id w:val="1"/>', run('{{a}}'))],
    ['the result of a field', complexField(['HYPERLINK "x"'], '{{a}}')],
    ['CDATA', '<w:r><w:t><![CDATA[{{a}}]]></w:t></w:r>'],
    ['character references', run('&#123;&#x7b;a}}')],
  ])('finds a marker in %s', async (_, content) => {
    expect(names(await inspect(`<w:p>${content}</w:p>`))).toEqual(['a']);
  });

  it('reads other prefixes and Strict names', async () => {
    const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
    const parts = (xml: string): DocxParts => ({ entries: { 'word/document.xml': xml } });
    const text = '{{a}}';
    const own = `<d xmlns="${strict}"><body><p><r><t>${text}</t></r></p></body></d>`;
    const prefixed = document(paragraph(text))
      .replaceAll('w:', 'x:')
      .replace('xmlns:w=', 'xmlns:x=');
    expect(
      names(
        await inspect(parts(own.replaceAll('<d ', '<document ').replace('</d>', '</document>'))),
      ),
    ).toEqual(['a']);
    expect(names(await inspect(parts(prefixed)))).toEqual(['a']);
  });

  it('declares what counts between guillemets', async () => {
    const body = paragraph('«Họ tên» «ten_cong_ty» «Khác»');
    expect(names(await inspect(body))).toEqual(['ten_cong_ty']);
    expect(names(await inspect(body, ['họ tên']))).toEqual(['Họ tên', 'ten_cong_ty']);
  });
});

describe('names', () => {
  it.each([
    ['{{ho_ten}}', 'ho_ten'],
    ['{{  Order  no }}', 'Order no'],
    ['{{họ.tên-2}}', 'họ.tên-2'],
    ['{{{a}}}', 'a'],
    ['{{ho\u0323}}', 'họ'],
    ['[[姓名]]', '姓名'],
  ])('%s is %s', async (text, name) => {
    expect(names(await inspect(paragraph(text)))).toEqual([name]);
  });

  it.each([
    '#x',
    '/x',
    '^x',
    '?x',
    '@x',
    '=x',
    'x:each',
    '1a',
    'a..b',
    '__proto__',
    'constructor.x',
    'Prototype',
    'a'.repeat(101),
  ])('{{%s}} is invalid', async (name) => {
    const { fields, invalid } = await inspect(paragraph(`{{${name}}}`));
    expect(fields).toEqual([]);
    expect(invalid).toMatchObject([
      { raw: `{{${name}}}`, name, code: 'INVALID_NAME', paragraph: 1 },
    ]);
  });

  it('of one field may differ by case', async () => {
    const inspection = await inspect(paragraph('{{Name}} {{name}} {{NAME}} {{name}}'));
    expect(inspection.fields).toMatchObject([{ name: 'Name', occurrences: [{}, {}, {}, {}] }]);
    expect(inspection.warnings.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'FIELD_CASE_VARIANT name',
      'FIELD_CASE_VARIANT NAME',
    ]);
  });

  it('of sections come in pairs', async () => {
    const { sections, invalid, fields } = await inspect(
      paragraph('{{#items}}{{items.name}}') +
        paragraph('{{/Items}} {{#alone}} {{/other}} {{^items}}{{/items}}'),
    );
    expect(sections.map(({ name, open }) => [name, open])).toEqual([
      ['items', true],
      ['Items', false],
      ['items', true],
      ['items', false],
    ]);
    expect(invalid.map(({ name }) => name)).toEqual(['#alone', '/other']);
    expect(fields.map(({ name }) => name)).toEqual(['items.name']);
  });

  it('may be followed by switches', async () => {
    const { fields } = await inspect(paragraph('{{a|date:dd/MM}} {{a \\* Upper}} {{a}}'));
    expect(fields[0]?.occurrences.map(({ switches }) => switches)).toEqual([
      '|date:dd/MM',
      '\\* Upper',
      null,
    ]);
  });
});

describe('a MERGEFIELD', () => {
  it.each([
    ['MERGEFIELD a', 'a', null],
    [' mergefield  "Hello world" ', 'Hello world', null],
    ['MERGEFIELD “Họ tên” \\* MERGEFORMAT', 'Họ tên', null],
    ['MERGEFIELD a \\* Upper  \\* MERGEFORMAT', 'a', '\\* Upper'],
    ['MERGEFIELD d \\@ "dd/MM/yyyy HH:mm" \\m', 'd', '\\@ "dd/MM/yyyy HH:mm"'],
    ['MERGEFIELD n \\# "#,##0.00" \\b "(" \\f ")" \\v', 'n', '\\# "#,##0.00" \\b "(" \\f ")"'],
  ])('%s is read', async (text, name, switches) => {
    const { fields } = await inspect(
      `<w:p>${simpleField(text)}${complexField([text.slice(0, 5), text.slice(5)], 'x')}</w:p>`,
    );
    expect(fields).toMatchObject([
      { name, kinds: ['MERGEFIELD'], occurrences: [{ switches }, { switches, splitRuns: 2 }] },
    ]);
  });

  it('is found without a result, and in the result of another field', async () => {
    const bare = character('begin') + instruction('MERGEFIELD a') + character('end');
    const inside = `${character('begin')}${instruction('HYPERLINK "x"')}${character('separate')}${complexField(['MERGEFIELD b'], 'b')}${character('end')}`;
    const { fields } = await inspect(`<w:p>${bare}${inside}</w:p>`);
    expect(fields).toMatchObject([
      { name: 'a', occurrences: [{ nested: false, wrapped: true }] },
      { name: 'b', occurrences: [{ nested: false, wrapped: true }] },
    ]);
  });

  it('in an instruction is nested', async () => {
    const condition = `${character('begin')}${instruction('IF ')}${complexField(['MERGEFIELD a'], 'x')}${instruction(' = "1" "yes" "no"')}${character('separate')}${run('no')}${character('end')}`;
    const { fields } = await inspect(`<w:p>${condition}</w:p>`);
    expect(fields).toMatchObject([{ name: 'a', occurrences: [{ nested: true, wrapped: false }] }]);
  });

  it('that does not end is reported, and hides nothing after it', async () => {
    const inspection = await inspect(
      `<w:p>${character('begin')}${instruction('MERGEFIELD a')}${character('separate')}${run('{{b}}')}</w:p>${paragraph('{{c}}')}`,
    );
    expect(names(inspection)).toEqual(['b', 'c']);
    expect(inspection.warnings).toEqual([
      { code: 'UNCLOSED_FIELD', part: 'word/document.xml', paragraph: 1 },
    ]);
  });

  it('over paragraphs is one', async () => {
    const inspection = await inspect(
      `<w:p>${character('begin')}${instruction('MERGEFIELD a')}${character('separate')}${run('one')}</w:p><w:p>${run('two')}${character('end')}</w:p>`,
    );
    expect(names(inspection)).toEqual(['a']);
    expect(codes(inspection)).toEqual(['FIELD_SPANS_PARAGRAPHS']);
  });

  it('has a result that is no marker', async () => {
    expect(
      names(await inspect(`<w:p>${complexField(['MERGEFIELD a'], '«b» {{c}}')}</w:p>`)),
    ).toEqual(['a']);
  });
});

describe('a control', () => {
  it.each([
    ['merge:code', '{{code}}', 'code', 'MUSTACHE'],
    ['merge:code', 'Nhãn', 'code', 'MUSTACHE'],
    ['svc:mf:họ tên', '{{họ tên|upper}}', 'họ tên', 'MUSTACHE'],
    ['svc:mf:x', '«x»', 'x', 'GUILLEMET'],
    ['svc:mf:x', '', 'x', 'MUSTACHE'],
  ])('with the tag %s and the text %s is a field', async (tag, text, name, kind) => {
    const inspection = await inspect(
      `<w:p>${control(`<w:tag w:val="${tag}"/><w:text/>`, run(text))}</w:p>`,
    );
    expect(inspection.fields).toMatchObject([
      { name, kinds: [kind], occurrences: [{ wrapped: true }] },
    ]);
    expect(inspection.summary.occurrences).toBe(1);
  });

  it.each([
    ['a paragraph', (inside: string) => inside],
    ['a cell', (inside: string) => `<w:tc><w:tcPr/>${inside}</w:tc>`],
    ['both', (inside: string) => `<w:tc>${control('<w:tag w:val="merge:code"/>', inside)}</w:tc>`],
  ])('around %s is the field in it', async (_, around) => {
    const inside = around(`<w:p><w:pPr><w:jc w:val="left"/></w:pPr>${run('Nhãn')}</w:p>`);
    const block = control('<w:tag w:val="merge:code"/><w:text/>', inside);
    const table = `<w:tbl><w:tr>${block}</w:tr></w:tbl>`;

    const inspection = await inspect(inside.startsWith('<w:tc') ? table : block);

    const location = inside.startsWith('<w:tc') ? 'TABLE' : 'BODY';
    expect(inspection.fields).toMatchObject([
      { name: 'code', occurrences: [{ raw: 'Nhãn', location, paragraph: 1, wrapped: true }] },
    ]);
  });

  it('around more than a paragraph is none', async () => {
    const tag = '<w:tag w:val="merge:code"/>';
    const inspection = await inspect(
      `${control(tag, paragraph('a') + paragraph('b'))}${control(tag, `${paragraph('a')}<w:tbl/>`)}${control(tag, '<w:p/>')}`,
    );

    expect(names(inspection)).toEqual([]);
  });

  it('with another tag is none', async () => {
    const inspection = await inspect(
      `<w:p>${control('<w:tag w:val="merge:#each"/>', run('text'))}${control('<w:tag w:val="other"/>', run('text'))}</w:p>`,
    );
    expect(names(inspection)).toEqual([]);
  });

  it('whose text comes from data is reported', async () => {
    const bound = control('<w:dataBinding w:xpath="/x"/><w:text/>', run('{{a}}'));
    expect(codes(await inspect(`<w:p>${bound}</w:p>`))).toEqual(['DATA_BOUND_CONTROL']);
  });
});

describe('limits', () => {
  it('hold for markers and for fields', async () => {
    const refusal = async (limits: DocxLimits, text: string): Promise<string> => {
      try {
        await inspect(paragraph(text), [], limits);
        return 'taken';
      } catch (error) {
        if (error instanceof DocxRefused) return error.code;
        throw error;
      }
    };
    expect(await refusal({ ...docxLimits, markers: 2 }, '{{a}}{{a}}')).toBe('taken');
    expect(await refusal({ ...docxLimits, markers: 2 }, '{{a}}{{a}}{{a}}')).toBe(
      'DOCX_TOO_COMPLEX',
    );
    expect(await refusal({ ...docxLimits, fields: 2 }, '{{a}}{{b}}{{c}}')).toBe('DOCX_TOO_COMPLEX');
  });
});
