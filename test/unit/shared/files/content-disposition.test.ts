import { parse } from 'content-disposition';
import { describe, expect, it } from 'vitest';
import { contentDisposition } from '../../../../shared/files/content-disposition.ts';

describe('contentDisposition', () => {
  it.each([
    ['report.csv', 'attachment; filename=report.csv'],
    [
      'Hợp đồng lao động.docx',
      'attachment; filename="Hop dong lao dong.docx"; filename*=UTF-8\'\'H%E1%BB%A3p%20%C4%91%E1%BB%93ng%20lao%20%C4%91%E1%BB%99ng.docx',
    ],
    ['/etc/../pass wd', 'attachment; filename="pass wd"'],
    ['C:\\temp\\a.txt', 'attachment; filename=a.txt'],
    ['a\r\nset-cookie: b', 'attachment; filename="aset-cookie: b"'],
    ['', 'attachment; filename=file'],
    ['a/..', 'attachment; filename=file'],
    ['say "so".txt', 'attachment; filename="say _so_.txt"; filename*=UTF-8\'\'say%20%22so%22.txt'],
  ])('writes %j', (fileName, header) => {
    expect(contentDisposition(fileName)).toBe(header);
  });

  it('keeps the name for programs that read filename*, and is one line of ASCII', () => {
    for (const name of ['Đơn xin nghỉ phép.pdf', '報告 "1".xlsx', 'naïve%20.txt', '😀.png']) {
      const header = contentDisposition(name, true);

      expect(header).toMatch(/^inline; [\x20-\x7e]+$/);
      expect(parse(header).parameters.filename).toBe(name);
    }
  });

  it('shortens a long name before its extension', () => {
    const header = contentDisposition(`${'ộ'.repeat(500)}.docx`);

    expect(parse(header).parameters.filename).toMatch(/^ộ{195}\.docx$/);
    expect(header.length).toBeLessThan(2_200);
  });
});
