import { describe, expect, it } from 'vitest';
import { withKeptFields } from '../../../../functions/templates/generations/writing/kept-fields.ts';
import { openDocx, readXml } from '../../../../shared/docx/index.ts';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';

const character = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const field = (...pieces: readonly string[]) =>
  `<w:p>${character('begin')}${pieces.map(instruction).join('')}${character('separate')}<w:r><w:t>Entry</w:t></w:r>${character('end')}</w:p>`;
const simple = (text: string) =>
  `<w:p><w:fldSimple w:instr=" ${text} "><w:r><w:t>Entry</w:t></w:r></w:fldSimple></w:p>`;

async function printed(body: string) {
  const pkg = await openDocx(makeDocx({ body }));
  const kept = withKeptFields(pkg);
  return { isSame: kept === pkg, xml: readXml(kept, 'word/document.xml') };
}

describe('fields of a document to print', () => {
  it.each([
    String.raw`TOC \o "1-3" \h \z \u`,
    String.raw`TOC \h \z \c "Table"`,
    String.raw`TOC \t "bns,1"`,
    'PAGE',
    'REF BIBLIOGRAPHY',
  ])('are left to the engine: %s', async (text) => {
    const escaped = text.replaceAll('"', '&quot;');

    expect((await printed(field(escaped) + simple(escaped))).isSame).toBe(true);
  });

  it.each(['BIBLIOGRAPHY', String.raw`TOC \o 1-3 \b part`, String.raw`toc \n 2-3`])(
    'keep their entries where the engine cannot make them: %s',
    async (text) => {
      const { xml } = await printed(field(text) + simple(text));

      expect(xml).toContain(`<w:instrText>KEPT ${text}<`);
      expect(xml).toContain(`w:instr="KEPT  ${text} "`);
    },
  );

  it('are known over runs, and with fields in their entries', async () => {
    const inner = `${character('begin')}${instruction('PAGEREF a')}${character('separate')}<w:r><w:t>7</w:t></w:r>${character('end')}`;
    const outer = `<w:p>${character('begin')}${instruction('TOC \\o')}${instruction(' \\b part')}${character('separate')}${inner}${character('end')}</w:p>`;

    const { xml } = await printed(outer + field('TOC \\o'));

    expect(xml.match(/KEPT /g)).toHaveLength(1);
    expect(xml).toContain('KEPT TOC \\o<');
    expect(xml).toContain('<w:instrText>PAGEREF a<');
  });
});
