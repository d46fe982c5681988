import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DocxRefused,
  inspectDocx,
  normaliseDocx,
  openDocx,
  writeDocx,
} from '../../../../shared/docx/index.ts';
import { alike, readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { docxEntries, makeDocx, zipped } from '../../../helpers/docx/make-docx.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';

const escaped = (text: string): string =>
  text.replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'));

const name = fc.constantFrom('a', 'ho_ten', 'họ tên', 'Order.no', 'x1');
const marker = fc
  .tuple(name, fc.constantFrom('{{*}}', '[[*]]', '{{ * }}', '{{*|upper}}'))
  .map(([field, style]) => style.replace('*', field));
const prose = fc.constantFrom(
  '',
  ' ',
  'Kính gửi ',
  '{ ',
  ' & <b>',
  '}} ',
  ' ] ',
  '«Hợp đồng lao động»',
);
/** A text, with how many markers it has. */
const line = fc.array(fc.tuple(prose, marker), { maxLength: 4 }).map((parts) => ({
  text: `${parts.flat().join('')} end`,
  count: parts.length,
}));

const format = fc.constantFrom(
  '',
  '<w:rPr><w:b/></w:rPr>',
  '<w:rPr><w:i/><w:sz w:val="20"/></w:rPr>',
);
const between = fc.constantFrom(
  '',
  '',
  '<w:proofErr w:type="spellStart"/>',
  '<w:bookmarkStart w:id="1" w:name="b"/><w:bookmarkEnd w:id="1"/>',
  '<w:del w:id="3"><w:r><w:delText>{{gone}}</w:delText></w:r></w:del>',
);
const around = fc.constantFrom(
  ['', ''],
  ['', ''],
  ['<w:hyperlink w:anchor="x">', '</w:hyperlink>'],
  ['<w:ins w:id="9" w:author="a">', '</w:ins>'],
  ['<w:smartTag w:element="e">', '</w:smartTag>'],
  ['<w:sdt><w:sdtPr><w:id w:val="7"/></w:sdtPr><w:sdtContent>', '</w:sdtContent></w:sdt>'],
);
const piece = fc.record({
  length: fc.integer({ min: 1, max: 9 }),
  format,
  between,
  around,
  split: fc.boolean(),
});

/** The same text over runs as they come. */
const paragraphs = fc
  .tuple(line, fc.array(piece, { minLength: 1, maxLength: 25 }))
  .map(([{ text, count }, pieces]) => {
    let rest = text;
    const runs: string[] = [];
    for (let index = 0; rest !== ''; index += 1) {
      const one = pieces[index];
      const [head, tail] = one ? [rest.slice(0, one.length), rest.slice(one.length)] : [rest, ''];
      rest = tail;
      const half = one?.split ? Math.floor(head.length / 2) : 0;
      const texts = [head.slice(0, half), head.slice(half)].map(
        (part) => `<w:t xml:space="preserve">${escaped(part)}</w:t>`,
      );
      const [open = '', close = ''] = one?.around ?? [];
      runs.push(
        `${one?.between ?? ''}${open}<w:r>${one?.format ?? ''}${texts.join('')}</w:r>${close}`,
      );
    }
    return { xml: `<w:p>${runs.join('')}</w:p>`, count };
  });

describe('normaliseDocx', () => {
  it('makes a control of every marker, however its runs are split, and changes nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(paragraphs, { maxLength: 3 }), async (lines) => {
        const original = makeDocx({ body: lines.map(({ xml }) => xml).join('') });
        const { pkg, inspection } = normaliseDocx(await openDocx(original));
        const normalised = writeDocx(pkg);

        const expected = lines.reduce((sum, { count }) => sum + count, 0);
        expect(inspection.summary.occurrences).toBe(expected);
        const main = 'word/document.xml';
        const xml = String(Buffer.from(pkg.entries.get(main) ?? []));
        expect(xml.split('w:val="svc:mf:')).toHaveLength(expected + 1);
        const [before, after] = [readParagraphs(original), readParagraphs(normalised)];
        expect(alike(after.get(main) ?? [])).toEqual(alike(before.get(main) ?? []));
        const again = normaliseDocx(await openDocx(normalised));
        expect(writeDocx(again.pkg).equals(normalised)).toBe(true);
        expect(again.inspection.fields.map(({ name }) => name)).toEqual(
          inspection.fields.map(({ name }) => name),
        );
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe('hostile bytes', () => {
  const body =
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MERGEFIELD a</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>«a»</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:sdt><w:sdtPr><w:tag w:val="merge:x"/><w:text/></w:sdtPr><w:sdtContent><w:r><w:t>{{x}} y</w:t></w:r></w:sdtContent></w:sdt><w:fldSimple w:instr="INCLUDETEXT x"><w:r><w:t>[[z]]</w:t></w:r></w:fldSimple></w:p>';
  const entries = docxEntries({ body });

  /** Runs everything on some bytes: they are refused, or normalised for good. */
  async function survive(bytes: Uint8Array): Promise<void> {
    try {
      const pkg = await openDocx(bytes);
      inspectDocx(pkg);
      const normalised = writeDocx(normaliseDocx(pkg).pkg);
      const again = writeDocx(normaliseDocx(await openDocx(normalised)).pkg);
      expect(again.equals(normalised)).toBe(true);
    } catch (error) {
      if (!(error instanceof DocxRefused)) throw error;
    }
  }

  it('in an archive are refused or read', async () => {
    const archive = zipped(entries);
    const change = fc.tuple(fc.nat(archive.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const bytes = Buffer.from(archive);
        for (const [at, value] of changes) bytes[at] = value;
        await survive(bytes);
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it('in the elements of a part are refused or read', async () => {
    const main = String(entries['word/document.xml']);
    const tags = [...main.matchAll(/<[^?][^>]*>/g)].map(([tag]) => tag);
    const change = fc.tuple(fc.nat(tags.length - 1), fc.nat(tags.length - 1), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let xml = main;
        for (const [from, to, insert] of changes) {
          const [one = '', other = ''] = [tags[from], tags[to]];
          xml = xml.replace(one, () => (insert ? other + one : other));
        }
        await survive(zipped({ ...entries, 'word/document.xml': xml }));
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});
