import { describe, expect, it } from 'vitest';
import { entriesOf, readPart, textOfEntry } from '../../../../helpers/docx/read-output.ts';
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

/** Two pixels wide and one high. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAEklEQVR4nGP8z8Dwn4EIwDiqEAAqUQP/DtPj2AAAAABJRU5ErkJggg==',
  'base64',
);
const FIELDS = [
  aField('anh', { dataType: 'IMAGE', format: '20mm' }),
  aField('ma', { dataType: 'QR', format: '25mm' }),
  aField('vach', { dataType: 'BARCODE', format: 'code128 50x15mm' }),
  aField('ky', { dataType: 'SIGNATURE', format: '60x25mm' }),
];
const EXTENT = /<wp:extent cx="(\d+)" cy="(\d+)"\/>/g;
const MM = 36_000;

const sizes = (file: Uint8Array, part = 'word/document.xml'): number[][] =>
  [...textOfEntry(file, part).matchAll(EXTENT)].map(([, cx, cy]) => [
    Number(cx) / MM,
    Number(cy) / MM,
  ]);

describe('pictures', () => {
  it('are put into the line with their size', async () => {
    const { file, codes } = await renderBody(
      p(run('a'), control('anh'), run('b')),
      { anh: 'f1' },
      { fields: FIELDS, images: { f1: PNG } },
    );

    expect(readPart(file).paragraphs).toEqual(['a[picture]b']);
    expect(sizes(file)).toEqual([[20, 10]]);
    expect(codes).toEqual([]);
    const media = Object.keys(entriesOf(file)).filter((name) => name.startsWith('word/media/'));
    expect(media.map((name) => Buffer.from(entriesOf(file)[name] ?? []).equals(PNG))).toEqual([
      true,
    ]);
    expect(textOfEntry(file, '[Content_Types].xml')).toContain(
      '<Default Extension="png" ContentType="image/png"/>',
    );
    const [, id] = /r:embed="([^"]+)"/.exec(textOfEntry(file, 'word/document.xml')) ?? [];
    expect(textOfEntry(file, 'word/_rels/document.xml.rels')).toMatch(
      new RegExp(`Id="${id}"[^>]*Target="/${media[0]}"`),
    );
  });

  it('have relationships of their part, and each a number of its own', async () => {
    const body = p(control('anh'), control('anh'));

    const { file } = await renderParts(
      { body, header: p(control('anh')) },
      { anh: 'f1' },
      { fields: FIELDS, images: { f1: PNG } },
    );

    const xml = textOfEntry(file, 'word/document.xml') + textOfEntry(file, 'word/header.xml');
    const ids = [...xml.matchAll(/<wp:docPr id="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(3);
    expect(textOfEntry(file, 'word/_rels/header.xml.rels')).toContain('relationships/image');
    expect(
      Object.keys(entriesOf(file)).filter((name) => name.startsWith('word/media/')),
    ).toHaveLength(1);
  });

  it('are text when there is no image of the value', async () => {
    const { file, codes } = await renderBody(p(control('anh')), { anh: 'f2' }, { fields: FIELDS });

    expect([readPart(file).paragraphs, codes]).toEqual([['f2'], ['FORMAT_FAILED']]);
  });

  it('are left out when the bytes are no image', async () => {
    const images = { f1: Buffer.from('<svg onload="x"/>') };

    const { file, codes } = await renderBody(
      p(run('a'), control('anh')),
      { anh: 'f1' },
      { fields: FIELDS, images },
    );

    expect([readPart(file).paragraphs, codes]).toEqual([['a'], ['FORMAT_FAILED']]);
  });

  it('may be asked for by the marker', async () => {
    const { file } = await renderBody(
      p(control('x', '{{x|image:30x30mm}}')),
      { x: 'f1' },
      { images: { f1: PNG } },
    );

    expect(sizes(file)).toEqual([[30, 30]]);
  });
});

describe('controls of pictures', () => {
  it('are no text controls, and are locked as others', async () => {
    const fields = FIELDS.map((field) => ({ ...field, lockedInOutput: true }));
    const body = p(
      control('anh'),
      control('ma'),
      control('ky'),
      control('pageNumber'),
      control('x'),
    );

    const { file } = await renderBody(
      body,
      { anh: 'f1', ma: 'm', x: 1 },
      { fields, images: { f1: PNG } },
    );

    const xml = textOfEntry(file, 'word/document.xml');
    expect(xml.match(/<w:text w:multiLine="1"\/>/g)).toHaveLength(1);
    expect(readPart(file).controls.map(({ lock }) => lock)).toEqual([
      'sdtContentLocked',
      'sdtContentLocked',
      'sdtContentLocked',
      '',
      '',
    ]);
  });
});

describe('QR codes and barcodes', () => {
  it('hold the text of the value', async () => {
    const body = p(control('ma'), control('vach'), control('y', '{{y|qr:20mm}}'));

    const { file, codes } = await renderBody(
      body,
      { ma: 'https://example.com', vach: 'HD-0001', y: 'abc' },
      { fields: FIELDS },
    );

    expect([readPart(file).paragraphs, codes]).toEqual([['[picture][picture][picture]'], []]);
    expect(sizes(file)).toEqual([
      [25, 25],
      [50, 15],
      [20, 20],
    ]);
    const made = Object.entries(entriesOf(file)).filter(([name]) => name.startsWith('word/media/'));
    expect(made.map(([, bytes]) => Buffer.from(bytes.subarray(1, 4)).toString())).toEqual([
      'PNG',
      'PNG',
      'PNG',
    ]);
  });

  it('are made once for equal values, and no more than a request has time for', async () => {
    const body = table(row(cell(p(control('items.code', '{{items.code|qr:20mm}}')))));
    const rowsOf = (count: number, text: (index: number) => string) => ({
      items: Array.from({ length: count }, (_, index) => ({ code: text(index) })),
    });

    const { file } = await renderBody(
      body,
      rowsOf(3_000, () => 'HD-0001'),
    );

    const media = Object.keys(entriesOf(file)).filter((name) => name.startsWith('word/media/'));
    expect(media).toHaveLength(1);
    expect(sizes(file)).toHaveLength(3_000);
    await expect(renderBody(body, rowsOf(3_000, String))).rejects.toThrow('too many codes');
  });

  it('are text when the kind is not known or cannot hold it', async () => {
    const body = p(
      control('a', '{{a|barcode:ean13}}'),
      run(' '),
      control('b', '{{b|barcode:fancy}}'),
    );

    const { file, codes } = await renderBody(body, { a: 'no digits', b: 'x<y' });

    expect([readPart(file).paragraphs, codes]).toEqual([['no digits x<y'], ['FORMAT_FAILED']]);
  });

  it('are nothing without a value', async () => {
    expect(
      readPart((await renderBody(p(control('ma')), {}, { fields: FIELDS })).file).paragraphs,
    ).toEqual(['']);
  });
});

describe('places for signatures', () => {
  it('have their size, and a link by which they are found in a printed document', async () => {
    const body = p(control('ky'), control('B', '{{B|signature}}'));

    const { file } = await renderBody(body, {}, { fields: FIELDS, output: 'PDF' });

    expect(sizes(file)).toEqual([
      [60, 25],
      [60, 25],
    ]);
    expect(textOfEntry(file, 'word/_rels/document.xml.rels')).toContain(
      'Target="urn:svc-cloud:place:ky" TargetMode="External"',
    );
    expect(
      textOfEntry(file, 'word/document.xml').match(
        /<a:hlinkClick [^>]*r:id="svcPlace\d+"\/><\/wp:docPr>/g,
      ),
    ).toHaveLength(2);
  });

  it('have no link in a DOCX', async () => {
    const { file } = await renderBody(p(control('ky')), {}, { fields: FIELDS });

    expect(textOfEntry(file, 'word/_rels/document.xml.rels')).not.toContain('svc-cloud');
    expect(sizes(file)).toEqual([[60, 25]]);
  });
});
