import { describe, expect, it } from 'vitest';
import { paragraph } from '../../../../helpers/docx/make-docx.ts';
import { readPart, textOfEntry } from '../../../../helpers/docx/read-output.ts';
import {
  aField,
  cell,
  control,
  p,
  type RenderOptions,
  renderBody,
  renderParts,
  row,
  run,
  table,
} from '../../../../helpers/docx/render-template.ts';

/** A document that ends with a table is given one more paragraph. */
const END = p(run('end'));

async function shown(
  body: string,
  data: unknown,
  options?: RenderOptions,
): Promise<readonly string[]> {
  const { paragraphs } = readPart((await renderBody(body + END, data, options)).file);
  return paragraphs.slice(0, -1);
}

describe('values', () => {
  it('stand in the places of their markers, in the format of the marker', async () => {
    const bold = '<w:b/>';
    const body = p(
      run('Ông '),
      control('ten', '{{ten}}', bold),
      run(', sinh ngày '),
      control('ngay'),
    );
    const fields = [aField('ngay', { dataType: 'DATE' })];

    const { file, codes } = await renderBody(
      body,
      { ten: 'Lê Văn Tám', ngay: '2000-02-29' },
      { fields },
    );

    const { paragraphs, runs } = readPart(file);
    expect(paragraphs).toEqual(['Ông Lê Văn Tám, sinh ngày 29/02/2000']);
    expect(runs).toContainEqual(['Lê Văn Tám', 'w:b=;']);
    expect(codes).toEqual([]);
  });

  it('are formatted by the switches and filters of each marker', async () => {
    const body = p(
      control('ten', '{{ten \\* Upper}}'),
      run(' '),
      control('TEN', '{{TEN|title}}'),
      run(' '),
      control('so', '{{so \\# "#,##0.00"}}'),
      run(' '),
      control('khi', '{{khi|date:dd/MM/yyyy HH:mm}}'),
    );

    const texts = await shown(body, { ten: 'lê tám', so: '1234.5', khi: '2024-02-29T20:30:00Z' });

    expect(texts).toEqual(['LÊ TÁM Lê Tám 1.234,50 01/03/2024 03:30']);
  });

  it('have lines and tabs', async () => {
    expect(await shown(p(control('x')), { x: 'a\nb\tc\r\nd' })).toEqual(['a\nb\tc\nd']);
  });

  it('fill headers, footers, notes and both copies of text boxes', async () => {
    const box = (content: string): string => `<w:txbxContent>${content}</w:txbxContent>`;
    const body = p(
      `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx>${box(p(control('x')))}</wps:txbx></mc:Choice>` +
        `<mc:Fallback><w:pict><v:textbox>${box(p(control('x')))}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
    );
    const note = (kind: string): string => `<w:${kind} w:id="1">${p(control('x'))}</w:${kind}>`;
    const parts = {
      body,
      header: p(control('x')),
      footer: p(control('x')),
      footnotes: note('footnote'),
      endnotes: note('endnote'),
    };

    const { file } = await renderParts(parts, { x: 'đây' });

    const texts = ['document', 'header', 'footer', 'footnotes', 'endnotes'].map((name) =>
      readPart(file, `word/${name}.xml`).paragraphs.join('|'),
    );
    expect(texts).toEqual(['|đây|đây', 'đây', 'đây', 'đây', 'đây']);
  });

  it('fill markers in text that no control is around', async () => {
    const body = p(run('a {{x}} b {{'), run('y}} c {{x}}'));

    expect(await shown(body, { x: '1', y: '2' })).toEqual(['a 1 b 2 c 1']);
  });

  it('leave prose and what nobody declared between guillemets', async () => {
    const body = paragraph('{{ }} « Bonjour » «SSH» {single} }}');

    expect(await shown(body, {})).toEqual(['{{ }} « Bonjour » «SSH» {single} }}']);
  });

  it('are filled in a part with another prefix', async () => {
    const { file } = await renderParts(
      { body: '', entries: { 'word/document.xml': FOREIGN } },
      { a: 'x\ny' },
    );

    expect(textOfEntry(file, 'word/document.xml')).toContain(
      '<q:t xml:space="preserve">x</q:t><q:br/><q:t xml:space="preserve">y</q:t>',
    );
  });
});

const FOREIGN =
  '<q:document xmlns:q="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><q:body><q:p><q:r><q:t>{{a}}</q:t></q:r></q:p></q:body></q:document>';

describe('fields without a value', () => {
  const body = p(run('a '), control('x'), run(' b')) + p(control('x')) + p(run('end'));

  it.each([
    ['BLANK', ['a  b', '', 'end']],
    ['KEEP_MARKER', ['a {{x}} b', '{{x}}', 'end']],
    ['NAME', ['a «x» b', '«x»', 'end']],
    ['REMOVE_PARAGRAPH', ['a  b', 'end']],
  ] as const)('%s', async (unused, texts) => {
    const { file, codes } = await renderBody(body, {}, { unused });

    expect([readPart(file).paragraphs, codes]).toEqual([texts, ['FIELD_NOT_BOUND']]);
  });

  it('leave the last paragraph of a cell', async () => {
    const texts = await shown(
      table(row(cell(p(control('x'))), cell(p(control('x')), p(run('b'))))),
      {},
      { unused: 'REMOVE_PARAGRAPH' },
    );

    expect(texts).toEqual(['', 'b']);
  });
});

describe('repeats', () => {
  const items = [
    { ten: 'Bút', gia: 1500 },
    { ten: 'Vở', gia: 20000 },
  ];
  const fields = [
    aField('items', { dataType: 'LIST' }),
    aField('items.gia', { dataType: 'CURRENCY' }),
  ];

  it('a row for each element when its fields begin with the list', async () => {
    const body =
      table(
        row(cell(p(run('Tên'))), cell(p(run('Giá')))),
        row(
          cell(p(control('items._number')), p(control('items.ten'))),
          cell(p(control('items.gia'))),
        ),
        row(cell(p(run('Hết'))), cell(p(control('cong')))),
      ) + END;

    const { file, codes } = await renderBody(body, { items, cong: 'x' }, { fields });

    const { paragraphs, controls } = readPart(file);
    expect(paragraphs).toEqual([
      'Tên',
      'Giá',
      '1',
      'Bút',
      '1.500\u00a0₫',
      '2',
      'Vở',
      '20.000\u00a0₫',
      'Hết',
      'x',
      'end',
    ]);
    expect(new Set(controls.map(({ id }) => id)).size).toBe(7);
    expect(codes).toEqual([]);
  });

  it('gives every control a number of its own, those that are no fields too', async () => {
    const other =
      '<w:sdt><w:sdtPr><w:id w:val="77"/></w:sdtPr><w:sdtContent><w:r><w:t>o</w:t></w:r></w:sdtContent></w:sdt>';
    const body = table(
      row(
        cell(p(control('a'), other, run('{{#items}}'))),
        cell(p(control('ten')), p(run('{{/items}}'))),
      ),
    );

    const { file } = await renderBody(body + END, { items, a: 1 });

    const ids = readPart(file).controls.map(({ id }) => id);
    expect([ids.length, new Set(ids).size, ids.includes('77')]).toEqual([6, 6, true]);
  });

  it('a row of one cell', async () => {
    expect(await shown(table(row(cell(p(control('items.ten'))))), { items })).toEqual([
      'Bút',
      'Vở',
    ]);
  });

  it('no row, and no table without rows, for an empty list', async () => {
    const body = table(row(cell(p(control('items.ten'))))) + END;

    const { file } = await renderBody(body, { items: [] });

    expect(readPart(file).paragraphs).toEqual(['end']);
    expect(textOfEntry(file, 'word/document.xml')).not.toContain('<w:tbl>');
  });

  it('paragraphs between markers, and leaves no blank line', async () => {
    const body =
      paragraph('{{#items}}') +
      p(control('ten'), run(': '), control('gia')) +
      paragraph('{{/items}}') +
      p(run('end'));

    expect(await shown(body, { items }, { fields })).toEqual([
      'Bút: 1.500\u00a0₫',
      'Vở: 20.000\u00a0₫',
      'end',
    ]);
  });

  it('rows between markers in one row, and text within a paragraph', async () => {
    const body =
      table(
        row(
          cell(paragraph('{{#items}}'), p(control('ten'))),
          cell(p(control('items.gia')), paragraph('{{/items}}')),
        ),
      ) + p(run('{{#items}}'), control('ten'), run(', {{/items}}hết'));

    const texts = await shown(body, { items }, { fields });

    expect(texts.filter((text) => text !== '')).toEqual([
      'Bút',
      '1.500\u00a0₫',
      'Vở',
      '20.000\u00a0₫',
      'Bút, Vở, hết',
    ]);
  });

  it('lists within lists, and lists of texts', async () => {
    const body =
      paragraph('{{#a}}') +
      p(control('n'), run(':'), run('{{#b}}'), control('b'), run(' {{/b}}')) +
      paragraph('{{/a}}');

    expect(
      await shown(body, {
        a: [
          { n: 1, b: ['x', 'y'] },
          { n: 2, b: [] },
        ],
      }),
    ).toEqual(['1:x y ', '2:']);
  });

  it('conditions', async () => {
    const body =
      paragraph('{{#vip}}') +
      p(run('VIP')) +
      paragraph('{{/vip}}') +
      p(run('{{^vip}}thường{{/vip}}'), run('.'));

    expect(await shown(body, { vip: true })).toEqual(['VIP', '.']);
    expect(await shown(body, { vip: false })).toEqual(['thường.']);
    expect(await shown(body, {})).toEqual(['thường.']);
  });

  it('computes a field for each row', async () => {
    const computed = aField('items.thanh', {
      sourceType: 'COMPUTED',
      expression: 'items.gia * 2',
      dataType: 'NUMBER',
    });
    const body = table(row(cell(p(control('items.ten'))), cell(p(control('items.thanh')))));

    expect(await shown(body, { items }, { fields: [...fields, computed] })).toEqual([
      'Bút',
      '3.000',
      'Vở',
      '40.000',
    ]);
  });

  it('nothing when a beginning has no end, and keeps its text', async () => {
    const { file, codes } = await renderBody(p(run('{{#items}}a'), control('x')), { items, x: 1 });

    expect(readPart(file).paragraphs).toEqual(['{{#items}}a1']);
    expect(codes).toEqual(['INVALID_MARKER']);
  });

  it('nothing where a beginning and an end do not belong together', async () => {
    const body =
      paragraph('{{#items}}') +
      table(row(cell(paragraph('x'), paragraph('{{/items}}')))) +
      p(control('y'));

    const { file, codes } = await renderBody(body, { items, y: 1 });

    expect(readPart(file).paragraphs).toContain('1');
    expect(codes).toContain('INVALID_MARKER');
  });
});

const simple = (instruction: string): string =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r>${instruction}<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('old')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const instr = (text: string): string =>
  `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const merge = (name: string): string => simple(instr(` MERGEFIELD ${name} `));

describe('fields of Word', () => {
  it.each([
    ['= "M"', 'M', 'Ông'],
    ['= "M"', 'F', 'Bà'],
    ['&lt;&gt; "M"', 'F', 'Ông'],
    ['= "M*"', 'Male', 'Ông'],
    ['&gt;= 18', '20', 'Ông'],
    ['&lt; 18', '20', 'Bà'],
    ['= "a \\"b"', 'a "b', 'Ông'],
  ])('IF with a merge field %s, of %s', async (test, sex, text) => {
    const body = p(
      simple(`${instr(' IF "')}${merge('sex')}${instr(`" ${test} "Ông" "Bà" \\* MERGEFORMAT `)}`),
      run('.'),
    );

    const { file } = await renderBody(body, { sex });

    expect(readPart(file).paragraphs).toEqual([`${text}.`]);
    expect(readPart(file).instructions).toEqual([]);
  });

  it('IF compares the longest values in no time, without wildcards', async () => {
    const body = p(
      simple(
        `${instr(' IF "')}${merge('a')}${instr('" = "')}${merge('b')}${instr('" "Ông" "Bà" ')}`,
      ),
    );
    const a = 'a'.repeat(100_000);

    const { file } = await renderBody(body, { a, b: `*${'a'.repeat(50_000)}b` });

    expect(readPart(file).paragraphs).toEqual(['Bà']);
  });

  it('IF shows merge fields in its texts', async () => {
    const body = p(
      simple(
        `${instr(' IF ')}${merge('a')}${instr(' = "" "trống" "')}${merge('a')}${instr(' rồi" ')}`,
      ),
    );

    expect(await shown(body, { a: 'đủ' })).toEqual(['đủ rồi']);
  });

  it('others get the values as text of their instructions', async () => {
    const body = p(simple(`${instr(' QUOTE "')}${merge('a')}${instr('" ')}`));

    const { file, codes } = await renderParts({ body, settings: '' }, { a: 'x" \\* Upper' });

    expect(readPart(file).instructions).toEqual(['QUOTE "', 'x\\" \\\\* Upper', '"']);
    expect(textOfEntry(file, 'word/settings.xml')).toContain('<w:updateFields w:val="true"/>');
    expect(codes).toEqual(['NESTED_FIELD_NOT_EVALUATED']);
  });

  it.each([
    ['https://example.com/x', ['HYPERLINK "', 'https://example.com/x', '"'], []],
    ['javascript:alert(1)', ['HYPERLINK "', 'MERGEFIELD a', '"'], ['LINK_TARGET_REJECTED']],
  ])('HYPERLINK to %s', async (a, instructions, codes) => {
    const rendered = await renderBody(
      p(simple(`${instr(' HYPERLINK "')}${merge('a')}${instr('" ')}`)),
      { a },
    );

    expect([readPart(rendered.file).instructions, rendered.codes]).toEqual([instructions, codes]);
  });

  it('INCLUDEPICTURE takes in nothing', async () => {
    const { file, codes } = await renderBody(
      p(simple(`${instr(' INCLUDEPICTURE "')}${merge('a')}${instr('" ')}`)),
      { a: 'http://x/y' },
    );

    expect([readPart(file).instructions, codes]).toEqual([
      ['INCLUDEPICTURE "', 'MERGEFIELD a', '"'],
      ['NESTED_FIELD_NOT_EVALUATED'],
    ]);
  });

  it('show numbers of pages', async () => {
    const { file } = await renderBody(p(control('pageNumber'), run('/'), control('pageCount')), {});

    expect(readPart(file).instructions).toEqual(['PAGE', 'NUMPAGES']);
    expect(readPart(file).paragraphs).toEqual(['1/1']);
  });

  it('mark a table of contents for update', async () => {
    const body = p(simple(instr(' TOC \\o "1-3" '))) + p(control('x'));

    expect(textOfEntry((await renderBody(body, { x: 1 })).file, 'word/document.xml')).toContain(
      '<w:fldChar w:dirty="true" w:fldCharType="begin"/>',
    );
    expect(
      textOfEntry((await renderBody(body, { x: 1 }, { output: 'PDF' })).file, 'word/document.xml'),
    ).not.toContain('w:dirty');
  });
});

describe('locks', () => {
  const fields = [
    aField('a', { lockedInOutput: true }),
    aField('b'),
    aField('c', { lockedInOutput: true }),
  ];
  const body = p(control('a'), control('b'), control('c'), control('d'));
  const data = { a: 'A', b: 'B', d: 'D' };

  it.each([
    ['TYPE_1', ['sdtContentLocked', '', 'sdtContentLocked', ''], ['A', '']],
    ['TYPE_2', ['sdtContentLocked', 'sdtContentLocked', '', ''], ['A', 'B']],
    ['TYPE_3', [], []],
  ] as const)('%s', async (lockType, locks, locked) => {
    const { file, lockedValues } = await renderBody(body, data, { fields, lockType });

    const { controls, paragraphs } = readPart(file);
    expect(controls.map(({ lock }) => lock)).toEqual(locks);
    expect(lockedValues.map(({ text }) => text)).toEqual(locked);
    expect(paragraphs).toEqual(['ABD']);
  });

  it('replace a lock that the template has, and bindings to data', async () => {
    const bound = control('a').replace(
      '<w:id ',
      '<w:lock w:val="sdtLocked"/><w:dataBinding w:xpath="/x"/><w:showingPlcHdr/><w:id ',
    );

    const { file, codes } = await renderBody(p(bound), data, { fields, lockType: 'TYPE_3' });
    const locked = await renderBody(p(bound), data, { fields });

    expect([readPart(file).paragraphs, codes]).toEqual([['A'], ['DATA_BOUND_CONTROL']]);
    expect(readPart(locked.file).controls).toMatchObject([{ lock: 'sdtContentLocked', text: 'A' }]);
    expect(textOfEntry(locked.file, 'word/document.xml')).not.toMatch(
      /dataBinding|showingPlcHdr|"sdtLocked"/,
    );
  });

  it('hold in repeated rows too', async () => {
    const list = [aField('l', { dataType: 'LIST' }), aField('l.x')];
    const rows = table(row(cell(p(control('l.x')))));

    const { file } = await renderBody(
      rows,
      { l: [{ x: 1 }, {}, { x: 3 }] },
      { fields: list, lockType: 'TYPE_2' },
    );

    expect(readPart(file).controls.map(({ lock, text }) => [lock, text])).toEqual([
      ['sdtContentLocked', '1'],
      ['', ''],
      ['sdtContentLocked', '3'],
    ]);
  });
});
