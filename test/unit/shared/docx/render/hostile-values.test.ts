import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paragraph, relationship } from '../../../../helpers/docx/make-docx.ts';
import { readPart, textOfEntry } from '../../../../helpers/docx/read-output.ts';
import {
  aField,
  cell,
  control,
  p,
  renderBody,
  renderParts,
  row,
  run,
  table,
} from '../../../../helpers/docx/render-template.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';

const only = async (value: unknown): Promise<string> =>
  readPart((await renderBody(p(control('x')), { x: value, other: 'leaked' })).file).paragraphs.join(
    '|',
  );

describe('values are text only', () => {
  it.each([
    '<w:p/>',
    '</w:t></w:r></w:p>',
    ']]>',
    '<![CDATA[x]]>',
    '&#0;',
    '&amp;',
    '{{other}}',
    '[[other]]',
    '«other»',
    '{other}',
    '\ue000v0\ue001',
    '\ue000other\ue001',
    '\ue002v0\ue003',
    "=cmd|'/C calc'!A0",
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"svc:lock"',
    '"svc:id"',
    '<svc:empty/>',
    '<svc:picture n="0"/>',
    '\u202egnp.exe',
    '$& $1 $$',
    '{#x}{/x}',
    '__proto__',
    '%7B%7Bother%7D%7D',
  ])('%s', async (value) => {
    expect(await only(value)).toBe(value);
  });

  it.each([
    ['a\u0000b', 'ab'],
    ['a\ud800b', 'ab'],
    ['a\uffffb', 'ab'],
    ['\u001b[31m', '[31m'],
  ])('%j loses what no document can hold', async (value, text) => {
    expect(await only(value)).toBe(text);
  });

  it('whatever they are', async () => {
    const texts = fc.string({
      unit: fc.constantFrom(
        '<',
        '>',
        '&',
        '"',
        "'",
        '{',
        '}',
        '\ue000',
        '\ue001',
        '#',
        '/',
        'v',
        '0',
        '\n',
        '\t',
        ']',
        'é',
        '😀',
      ),
    });
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        expect(await only(value)).toBe(value);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('of great length are cut', async () => {
    const { file, codes } = await renderBody(p(control('x')), { x: 'y'.repeat(10_000_000) });

    expect([readPart(file).paragraphs[0]?.length, codes]).toEqual([100_000, ['VALUE_TRUNCATED']]);
  });

  it('with names that every object has change nothing', async () => {
    const data = JSON.parse('{"__proto__":{"x":"bad"},"constructor":{"prototype":{"x":"bad"}}}');

    const { file } = await renderBody(p(control('x'), run('.')), data);

    expect(readPart(file).paragraphs).toEqual(['.']);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it('that hold themselves are nothing', async () => {
    const circle: Record<string, unknown> = {};
    circle.x = circle;

    expect(readPart((await renderBody(p(control('x')), circle)).file).paragraphs).toEqual(['']);
  });
});

describe('a text of the template', () => {
  it('may have the characters that delimit tags', async () => {
    const body = p(run('\ue000v0\ue001'), control('x'), run('\ue002'));

    expect(readPart((await renderBody(body, { x: 1 })).file).paragraphs).toEqual([
      '\ue000v0\ue0011\ue002',
    ]);
  });
});

describe('many rows', () => {
  it('are filled', async () => {
    const items = Array.from({ length: 2_000 }, (_, index) => ({ n: index }));
    const body = table(row(cell(p(control('items.n'))))) + p(run('end'));

    const { paragraphs, controls } = readPart((await renderBody(body, { items })).file);

    expect([
      paragraphs.length,
      paragraphs[1_999],
      new Set(controls.map(({ id }) => id)).size,
    ]).toEqual([2_001, '1999', 2_000]);
  });
});

describe('too many rows', () => {
  it('are refused, also when lists lie in lists', async () => {
    const body = `${paragraph('{{#a}}')}${paragraph('{{#b}}x{{/b}}')}${paragraph('{{/a}}')}`;
    const a = Array.from({ length: 200 }, () => ({ b: Array.from({ length: 100 }, () => 1) }));
    const items = Array.from({ length: 100_000 }, () => ({ n: 1 }));

    await expect(renderBody(body, { a })).rejects.toThrow(TOO_MANY);
    await expect(renderBody(table(row(cell(p(control('items.n'))))), { items })).rejects.toThrow(
      TOO_MANY,
    );
  });
});

const TOO_MANY = /more than 20000 times/;

describe('targets of links', () => {
  const link = (target: string): string => relationship('rId9', 'hyperlink', target, 'External');
  const body = `<w:p><w:hyperlink r:id="rId9">${run('xem')}</w:hyperlink></w:p>`;
  const target = async (
    given: string,
    data: unknown,
  ): Promise<[string | undefined, readonly string[]]> => {
    const { file, codes } = await renderParts({ body, relationships: link(given) }, data);
    const xml = textOfEntry(file, 'word/_rels/document.xml.rels');
    return [/Id="rId9"[^>]*Target="([^"]*)"/.exec(xml)?.[1], codes];
  };

  it('are read in no time, however many braces they have', async () => {
    const many = `https://example.com/${'{'.repeat(300_000)}`;

    expect(await target(many, { q: 1 })).toEqual([many, []]);
  });

  it.each([
    [
      'https://example.com/?q={{q}}',
      { q: 'a b&c/ô' },
      'https://example.com/?q=a%20b%26c%2F%C3%B4',
      [],
    ],
    ['https://example.com/%7B%7Bq%7D%7D', { q: '../x' }, 'https://example.com/..%2Fx', []],
    ['{{u}}', { u: 'https://example.com/a?b=c&d' }, 'https://example.com/a?b=c&amp;d', []],
    ['mailto:{{m}}', { m: 'lan@example.com' }, 'mailto:lan%40example.com', []],
    ['{{u}}', { u: 'javascript:alert(1)' }, '{{u}}', ['LINK_TARGET_REJECTED']],
    ['{{u}}', { u: 'file:///etc/passwd' }, '{{u}}', ['LINK_TARGET_REJECTED']],
    ['{{u}}', { u: '\\\\host\\share' }, '{{u}}', ['LINK_TARGET_REJECTED']],
    ['https://example.com/plain', {}, 'https://example.com/plain', []],
  ])('%s with %j', async (given, data, expected, codes) => {
    expect(await target(given, data)).toEqual([expected, codes]);
  });
});

describe('the output', () => {
  it('is the same for the same values', async () => {
    const fields = [aField('ma', { dataType: 'QR' }), aField('items', { dataType: 'LIST' })];
    const body =
      table(row(cell(p(control('items.n'))))) +
      p(control('ma')) +
      paragraph('{{#items}}{{n}}{{/items}}');
    const data = { ma: 'x', items: [{ n: 1 }, { n: 2 }] };
    const parts = { body, header: p(control('ma')) };

    const [first, second] = [
      await renderParts(parts, data, { fields }),
      await renderParts(parts, data, { fields }),
    ];

    expect(first.file.equals(second.file)).toBe(true);
  });

  it('keeps what is outside of markers', async () => {
    const [before, after] = [
      '<w:p w14:x="1" ><w:pPr><w:jc w:val="both" /></w:pPr></w:p>'.replace(' w14:x="1"', ''),
      p(run(' a &amp; b &#233; ')),
    ];

    const { file } = await renderBody(before + p(control('x')) + after, { x: 1 });

    const xml = textOfEntry(file, 'word/document.xml');
    expect([xml.includes(before), xml.includes(after)]).toEqual([true, true]);
  });
});
