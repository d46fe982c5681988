import { describe, expect, it } from 'vitest';
import { openDocx } from '../../../../../shared/docx/index.ts';
import { restoreLockedValues } from '../../../../../shared/docx/locks/restore-locked-values.ts';
import { writeDocx } from '../../../../../shared/docx/package/write-docx.ts';
import { zipped } from '../../../../helpers/docx/make-docx.ts';
import { entriesOf, readPart, textOfEntry } from '../../../../helpers/docx/read-output.ts';
import { aField, control, p, renderBody, run } from '../../../../helpers/docx/render-template.ts';

const FIELDS = [
  aField('a', { lockedInOutput: true }),
  aField('b', { lockedInOutput: true }),
  aField('c'),
];
const BODY =
  p(control('a', '{{a}}', '<w:b/>'), run(' '), control('b'), run(' '), control('c')) +
  p(control('a'));
const DATA = { a: 'Lê Tám', b: 'dòng 1\ndòng 2', c: 'tự do' };

/** Generates, lets an editor change the main document, and restores. */
async function saved(edit: (xml: string) => string) {
  const { file, lockedValues } = await renderBody(BODY, DATA, { fields: FIELDS });
  const edited = zipped({
    ...entriesOf(file),
    'word/document.xml': edit(textOfEntry(file, 'word/document.xml')),
  });
  const { pkg, warnings } = restoreLockedValues(await openDocx(edited), lockedValues);
  const part = readPart(writeDocx(pkg));
  return {
    texts: part.paragraphs,
    runs: part.runs,
    locks: part.controls.map(({ tag, lock }) => `${tag} ${lock}`),
    warnings: warnings.map(({ code, field }) => `${code} ${field}`),
  };
}

const TEXTS = ['Lê Tám dòng 1\ndòng 2 tự do', 'Lê Tám'];
const LOCKS = [
  'svc:mf:a sdtContentLocked',
  'svc:mf:b sdtContentLocked',
  'svc:mf:c ',
  'svc:mf:a sdtContentLocked',
];
const firstControl = (xml: string): string => /<w:sdt>.*?<\/w:sdt>/s.exec(xml)?.[0] ?? '';

describe('restoreLockedValues', () => {
  it('changes nothing in what was not changed', async () => {
    expect(await saved((xml) => xml)).toMatchObject({ texts: TEXTS, locks: LOCKS, warnings: [] });
  });

  it('puts a changed value back, in its format', async () => {
    const result = await saved((xml) => xml.replace('>Lê Tám<', '>Lê Chín<'));

    expect(result).toMatchObject({
      texts: TEXTS,
      locks: LOCKS,
      warnings: ['LOCKED_FIELD_MODIFIED a'],
    });
    expect(result.runs).toContainEqual(['Lê Tám', 'w:b=;']);
  });

  it('puts back lines', async () => {
    const result = await saved((xml) => xml.replace('dòng 2', 'dòng 3'));

    expect(result).toMatchObject({ texts: TEXTS, warnings: ['LOCKED_FIELD_MODIFIED b'] });
  });

  it('leaves fields that were not locked', async () => {
    expect(await saved((xml) => xml.replace('tự do', 'khác'))).toMatchObject({
      texts: ['Lê Tám dòng 1\ndòng 2 khác', 'Lê Tám'],
      warnings: [],
    });
  });

  it('says that a control is gone, and keeps the text', async () => {
    const result = await saved((xml) => xml.replace(firstControl(xml), run('chữ')));

    expect(result).toMatchObject({
      texts: ['chữ dòng 1\ndòng 2 tự do', 'Lê Tám'],
      warnings: ['LOCKED_FIELD_MISSING a'],
    });
  });

  it('knows a control by its alias when its tag and lock are gone, and gives both back', async () => {
    const result = await saved((xml) =>
      xml.replaceAll(/<w:(?:tag|lock|id) [^>]*\/>/g, '').replace('>Lê Tám<', '>X<'),
    );

    expect(result).toMatchObject({ texts: TEXTS, warnings: ['LOCKED_FIELD_MODIFIED a'] });
    expect(result.locks).toEqual([
      'svc:mf:a sdtContentLocked',
      'svc:mf:b sdtContentLocked',
      ' ',
      'svc:mf:a sdtContentLocked',
    ]);
  });

  it('takes controls that were moved', async () => {
    const result = await saved((xml) => {
      const [first, second] = [...xml.matchAll(/<w:sdt>.*?<\/w:sdt>/gs)].map(
        ([control]) => control,
      );
      return xml
        .replace(first ?? '', '\u0001')
        .replace(second ?? '', first ?? '')
        .replace('\u0001', second ?? '');
    });

    expect(result).toMatchObject({
      texts: ['dòng 1\ndòng 2 Lê Tám tự do', 'Lê Tám'],
      warnings: [],
    });
  });

  it('restores a copy of a control too', async () => {
    const result = await saved((xml) => {
      const copy = firstControl(xml).replace('Lê Tám', 'giả');
      return xml.replace('</w:body>', `${p(copy)}</w:body>`);
    });

    expect(result).toMatchObject({
      texts: [...TEXTS, 'Lê Tám'],
      warnings: ['LOCKED_FIELD_MODIFIED a'],
    });
  });
});
