import { afterAll, describe, expect, it } from 'vitest';
import { fontFilesIn } from '../../../../functions/templates/pdf/added-fonts.ts';
import {
  DocumentRefusedError,
  type PrintJob,
} from '../../../../functions/templates/pdf/engine-function.ts';
import { takePlaces } from '../../../../functions/templates/pdf/pdf-places.ts';
import { stampPdf } from '../../../../functions/templates/pdf/stamp-pdf.ts';
import { docxFixtures, readFixture } from '../../../helpers/docx/fixture-folder.ts';
import { makeDocx, paragraph, relationship } from '../../../helpers/docx/make-docx.ts';
import { HAN_FONTS } from '../../../helpers/templates/fonts.ts';
import { installedLibreOffice } from '../../../helpers/templates/libreoffice.ts';
import { readPdf } from '../../../helpers/templates/read-pdf.ts';

const LIMIT_MS = 120_000;
const at = '2026-01-02T03:04:05.000Z';
const vietnamese = 'Độc lập – Tự do – Hạnh phúc, ngày mồng chín';

/** Documents beside the project, with what their parts say: header, text box, note, footer, table. */
const FIXTURES: Readonly<Record<string, { pages: number; texts: readonly string[] }>> = {
  'lo-vn-labour-contract.docx': {
    pages: 4,
    texts: [
      'CÔNG TY {{ten_cong_ty}}',
      'Mã nhân viên: {{ma_nhan_vien}}',
      'Người lập: «nguoi_lap» – Trang 4/4',
      'Theo quyết định số {{so_quyet_dinh}}',
    ],
  },
  'mammoth-text-box.docx': { pages: 1, texts: ['Datum plane'] },
  'mammoth-footnotes.docx': { pages: 1, texts: ['A tachyon walks into a bar.'] },
  'poi-diff-first-page.docx': {
    pages: 2,
    texts: [
      'I am the header on the first page',
      'Mid header',
      'The footer of the first page',
      'Footer Middle',
    ],
  },
  'poi-60329-landscape.docx': {
    pages: 3,
    texts: ['Study Design, Objectives and Endpoints', 'Report Date: 5/2/2016'],
  },
  'sablon-recipe.docx': { pages: 1, texts: ['This document was generated using', 'Authored by'] },
};

const engine = installedLibreOffice(undefined, { fonts: fontFilesIn(HAN_FONTS) });
afterAll(() => engine.stop());

async function print(bytes: Uint8Array, more: Partial<PrintJob> = {}) {
  const job: PrintJob = { bytes, format: 'docx', at, pdfA: false, tagged: false, ...more };
  return engine.print(job, Date.now() + LIMIT_MS);
}

const textOf = async (pdf: Uint8Array) =>
  (await readPdf(pdf)).map(({ text }) => text.replace(/\s+/g, ' '));

const own = (body: string) =>
  makeDocx({
    header: paragraph('The header'),
    footer: paragraph('The footer'),
    body: `${body}<w:sectPr><w:headerReference w:type="default" r:id="rId_header"/><w:footerReference w:type="default" r:id="rId_footer"/></w:sectPr>`,
    relationships: relationship(
      'place',
      'hyperlink',
      'urn:svc-cloud:place:Ch%E1%BB%AF%20k%C3%BD',
      'External',
    ),
  });
const newPage = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';

const heading = (text: string) =>
  `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
/** A table of contents as Word writes it. */
const contents = (instruction: string, entry: string) =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${instruction} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>${entry}</w:t></w:r></w:p><w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;

describe('LibreOffice', { timeout: LIMIT_MS }, () => {
  it('prints headers and footers on every page, and Vietnamese', async () => {
    const { pdf, pages } = await print(own(paragraph(vietnamese) + newPage + paragraph('Last')));

    const [first = '', second = ''] = await textOf(pdf);
    expect(pages).toBe(2);
    expect(first).toContain(vietnamese);
    for (const text of [first, second]) expect(text).toMatch(/The header.*The footer/);
  });

  it('prints letters of fonts that the application adds', async () => {
    const { pdf } = await print(own(paragraph('Hợp đồng 中文合同')));

    expect(await textOf(pdf)).toEqual([expect.stringContaining('Hợp đồng 中文合同')]);
    expect(Buffer.from(pdf).includes('NotoSansSC')).toBe(true);
  });

  it('prints the same file of the same document, whenever it does', async () => {
    const file = own(paragraph(vietnamese));
    for (const pdfA of [false, true]) {
      const [one, two] = [await print(file, { pdfA }), await print(file, { pdfA })];

      const stamp = ({ pdf }: { pdf: Uint8Array }) => stampPdf(pdf, new Date(at));
      expect(stamp(one).equals(stamp(two))).toBe(true);
    }
  });

  it('prints for archives and for readers that speak', async () => {
    const file = own(paragraph('a'));

    const [plain, archive, tagged] = [
      await print(file),
      await print(file, { pdfA: true }),
      await print(file, { tagged: true }),
    ].map(({ pdf }) => Buffer.from(pdf).toString('latin1'));

    expect(plain).not.toContain('/StructTreeRoot');
    expect(tagged).toContain('/StructTreeRoot');
    expect(archive).toContain('<pdfaid:part>2</pdfaid:part>');
    expect(archive).toContain('/OutputIntents');
    expect(
      stampPdf(Buffer.from(archive ?? '', 'latin1'), new Date(at)).toString('latin1'),
    ).toContain('<xmp:CreateDate>2026-01-02T03:04:05Z</xmp:CreateDate>');
  });

  it('says where a document keeps a place free', async () => {
    const link = `<w:p><w:hyperlink r:id="place"><w:r><w:t>Sign here</w:t></w:r></w:hyperlink></w:p>`;
    const { pdf } = await print(own(newPage + link));

    const { places, pdf: without } = await takePlaces(pdf);

    expect(places).toEqual([expect.objectContaining({ name: 'Chữ ký', page: 2 })]);
    expect(places[0]?.width).toBeGreaterThan(20);
    expect(Buffer.from(without).includes('urn:svc-cloud')).toBe(false);
    expect((await textOf(without))[1]).toContain('Sign here');
  });

  it('shows the time of the generation where the document shows the time', async () => {
    const field =
      '<w:p><w:fldSimple w:instr=" DATE \\@ &quot;yyyy-MM-dd&quot; "><w:r><w:t>?</w:t></w:r></w:fldSimple></w:p>';

    const [text] = await textOf((await print(own(field))).pdf);

    expect(text).toContain('2026-01-02');
  });

  it('brings tables of contents up to date, also one that moves what it lists', async () => {
    const clauses = Array.from({ length: 90 }, (_, at) => heading(`Clause ${at + 1}`));
    const file = own(
      contents(String.raw`TOC \o "1-1" \h \z \u`, 'Old entry 7') + clauses.join(newPage),
    );

    const texts = await textOf((await print(file)).pdf);

    const first = texts.findIndex((text) => !/\.{3}/.test(text));
    const entries = [
      ...texts
        .slice(0, first)
        .join(' ')
        .matchAll(/(Clause \d+)\W*?\.{3,} ?(\d+)/g),
    ];
    const pageOf = (title: string) =>
      texts.findIndex(
        (text, page) => page >= first - 1 && new RegExp(`${title}(?![.\\d])`).test(text),
      ) + 1;
    expect(texts.join(' ')).not.toContain('Old entry');
    expect(first).toBeGreaterThan(1);
    expect(entries).toHaveLength(90);
    for (const [, title = '', page] of entries)
      expect([title, Number(page)]).toEqual([title, pageOf(title)]);
  });

  it('refuses what is no document, and prints the next one', async () => {
    await expect(print(Buffer.from('no document'), { format: 'docx' })).rejects.toThrow(
      DocumentRefusedError,
    );
    expect((await print(own(paragraph('a')))).pages).toBe(1);
  });

  const fixtures = docxFixtures()?.filter(({ file }) => Object.hasOwn(FIXTURES, file)) ?? [];
  for (const { file } of fixtures) {
    it(`prints ${file}`, async () => {
      const { pdf, pages } = await print(readFixture(file));

      const texts = await textOf(pdf);
      const { pages: expected = 0, texts: parts = [] } = FIXTURES[file] ?? {};
      expect(Math.abs(pages - expected)).toBeLessThanOrEqual(1);
      expect(texts).toHaveLength(pages);
      for (const part of parts) expect(texts.join(' ')).toContain(part);
    });
  }
});
