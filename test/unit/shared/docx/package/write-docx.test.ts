import { describe, expect, it } from 'vitest';
import { openDocx, readXml, withEntries, writeDocx } from '../../../../../shared/docx/index.ts';
import { docxEntries, makeDocx, paragraph, zipped } from '../../../../helpers/docx/make-docx.ts';

describe('writeDocx', () => {
  it('gives the same bytes whatever the order of entries, and the same contents', async () => {
    const entries = docxEntries({
      body: paragraph('a'),
      header: '',
      entries: { 'word/media/a.png': 'p' },
    });
    const backwards = Object.fromEntries(Object.entries(entries).reverse());
    const written = writeDocx(await openDocx(zipped(entries)));
    expect(written).toEqual(writeDocx(await openDocx(zipped(backwards))));
    const again = await openDocx(written);
    expect(
      Object.fromEntries([...again.entries].map(([k, v]) => [k, String(Buffer.from(v))])),
    ).toEqual(entries);
    expect(again.entries.keys().next().value).toBe('[Content_Types].xml');
  });

  it('writes what was replaced and leaves out what was removed', async () => {
    const pkg = await openDocx(makeDocx({ header: '', entries: { 'x.bin': 'x' } }));
    const changed = withEntries(
      pkg,
      new Map([
        ['word/header.xml', undefined],
        ['x.bin', 'other'],
      ]),
    );
    expect(changed.textParts).toHaveLength(1);
    expect(pkg.textParts).toHaveLength(2);
    const [zip, header] = [writeDocx(changed), readXml(changed, 'word/header.xml')];
    expect(zip.includes('x.bin')).toBe(true);
    expect(header).toBe('');
  });
});
