import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseDocx, openDocx, writeDocx } from '../../../../shared/docx/index.ts';
import { type DocxParts, makeDocx, paragraph, run } from '../../../helpers/docx/make-docx.ts';
import { readPart, textOfEntry } from '../../../helpers/docx/read-output.ts';
import { control as ofField, p } from '../../../helpers/docx/render-template.ts';
import { complexField, control, simpleField } from '../../../helpers/docx/word-fields.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';

const MAIN = 'word/document.xml';

/** Normalises what is loose, and holds the result to being final. */
async function keep(parts: DocxParts, declared: readonly string[] = []) {
  const options = { declared, keepsControls: true };
  const file = writeDocx(normaliseDocx(await openDocx(makeDocx(parts)), options).pkg);
  const opened = await openDocx(file);
  expect(normaliseDocx(opened, options).pkg).toBe(opened);
  return file;
}

const shown = async (body: string, declared?: readonly string[]) =>
  readPart(await keep({ body }, declared)).controls.map(({ tag, text }) => `${tag}=${text}`);

describe('a document whose controls show values', () => {
  it('gets controls for markers that were typed, and keeps the values', async () => {
    const body = p(ofField('a', 'Lê Tám'), run(' {{b}} '), ofField('c', '{{c}}'));

    expect(await shown(body)).toEqual(['svc:mf:a=Lê Tám', 'svc:mf:b={{b}}', 'svc:mf:c={{c}}']);
  });

  it('is the package that was given when nothing is loose', async () => {
    const block = control('<w:tag w:val="svc:mf:x"/><w:text/>', p(run('value')));
    const given = await openDocx(
      makeDocx({ body: block + p(ofField('a', '{{ a }}'), run(' text')) }),
    );

    expect(normaliseDocx(given, { keepsControls: true }).pkg).toBe(given);
  });

  it.each([
    ['a marker', '{{other}}'],
    ['text with a marker', 'see {{other}} there'],
    ['a marker of another style', '[[a]]'],
    ['the beginning of a marker', '{{oth'],
  ])('keeps a value that looks like %s', async (_, value) => {
    const body = p(ofField('a', value), run('er}} and {{b}}'));

    expect(await shown(body)).toEqual([`svc:mf:a=${value}`, 'svc:mf:b={{b}}']);
  });

  it('keeps fields of Word that stand in a value', async () => {
    const inside = complexField(['MERGEFIELD a'], '«a»');
    const body = p(control('<w:tag w:val="merge:a"/>', inside), simpleField('MERGEFIELD b', '«b»'));

    const file = await keep({ body });

    expect(textOfEntry(file, MAIN)).toContain(inside);
    expect(readPart(file).controls.map(({ tag }) => tag)).toEqual(['merge:a', 'svc:mf:b']);
  });

  it('keeps values of blocks and cells, whatever is loose beside them', async () => {
    const two = p(run('one')) + p(run('{{two}}'));
    const body = control('<w:tag w:val="svc:mf:x"/>', two) + paragraph('{{y}}');

    const file = await keep({ body });

    expect(textOfEntry(file, MAIN)).toContain(two);
    expect(readPart(file).controls.map(({ tag }) => tag)).toEqual(['svc:mf:x', 'svc:mf:y']);
  });

  it('takes declared names between guillemets for markers too', async () => {
    const body = p(ofField('họ tên', '«họ tên»'), run(' «họ tên»'));

    expect(await shown(body)).toEqual(['svc:mf:họ tên=«họ tên»']);
    expect(await shown(body, ['họ tên'])).toEqual([
      'svc:mf:họ tên=«họ tên»',
      'svc:mf:họ tên=«họ tên»',
    ]);
  });
});

describe('any values', () => {
  const value = fc
    .array(fc.constantFrom('{{', '}}', '[[a]]', '«b»', 'x', ' ', 'Lê', '{{a}}'), { maxLength: 5 })
    .map((parts) => parts.join(''));
  const text = fc.constantFrom('', ' text ', '{{typed}}', ' {{', '}} ', '[[typed]]');

  it('are kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, value), { maxLength: 6 }), async (pieces) => {
        const content = pieces.map(
          ([loose, inside]) => `${run(loose)}${ofField('a', inside.replaceAll('&', ''))}`,
        );

        const file = await keep({ body: p(...content) });

        const values = readPart(file).controls.filter(({ tag }) => tag === 'svc:mf:a');
        expect(values.map((one) => one.text)).toEqual(pieces.map(([, inside]) => inside));
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});
