import { docxEntries, paragraph, zipped } from '../make-docx.ts';
import { type RawEntry, rawZip } from '../raw-zip.ts';
import type { HostileFile } from './hostile-file.ts';

const MIB = 2 ** 20;

/** A document as entries of an archive, with one of them changed or more added. */
const archive = (...more: readonly RawEntry[]): RawEntry[] => [
  ...Object.entries(docxEntries({ body: paragraph('text') }))
    .filter(([name]) => more.every((entry) => entry.name !== name))
    .map(([name, content]) => ({ name, content })),
  ...more,
];

/** What is wrong with an archive, and the code of its refusal. */
export function hostileArchives(): readonly HostileFile[] {
  const bomb = Buffer.alloc(8 * MIB);
  return [
    ['is empty', Buffer.alloc(0), 'UNSUPPORTED_FILE_TYPE'],
    ['is a PDF', Buffer.from('%PDF-1.7\n'), 'UNSUPPORTED_FILE_TYPE'],
    ['is an OLE file', Buffer.from('d0cf11e0a1b11ae100', 'hex'), 'UNSUPPORTED_FILE_TYPE'],
    [
      'is an encrypted OLE file',
      Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      'ENCRYPTED_DOCX',
    ],
    ['is another archive', zipped({ 'a.txt': 'a' }), 'UNSUPPORTED_FILE_TYPE'],
    ['is cut off', rawZip(archive()).subarray(0, -30), 'INVALID_DOCX'],
    ['is on several disks', rawZip(archive(), { disk: 1 }), 'INVALID_DOCX'],
    [
      'unpacks to 300 MiB',
      rawZip(archive({ name: 'b', content: bomb, declaredSize: 300 * MIB })),
      'DOCX_TOO_COMPLEX',
    ],
    [
      'unpacks to more than it declares',
      rawZip(archive({ name: 'b', content: bomb, declaredSize: 1_000 })),
      'INVALID_DOCX',
    ],
    [
      'is compressed more than 100 to 1',
      rawZip(archive({ name: 'b', content: bomb.subarray(0, 2 * MIB) })),
      'DOCX_TOO_COMPLEX',
    ],
    [
      'declares more entries than it may have',
      rawZip(archive(), { count: 65_000 }),
      'DOCX_TOO_COMPLEX',
    ],
    ['declares more entries than it has', rawZip(archive(), { count: 1_000 }), 'INVALID_DOCX'],
    [
      'has two main documents',
      rawZip([...archive(), { name: 'word/document.xml', content: 'x' }]),
      'INVALID_DOCX',
    ],
    [
      'has names that differ by case',
      rawZip([...archive(), { name: 'WORD/document.xml', content: 'x' }]),
      'INVALID_DOCX',
    ],
    ['leaves its folder', rawZip(archive({ name: '../../evil', content: 'x' })), 'INVALID_DOCX'],
    ['has an absolute name', rawZip(archive({ name: '/etc/x', content: 'x' })), 'INVALID_DOCX'],
    ['has a drive', rawZip(archive({ name: 'C:/x', content: 'x' })), 'INVALID_DOCX'],
    ['has a backslash', rawZip(archive({ name: 'word\\x', content: 'x' })), 'INVALID_DOCX'],
    ['has a null in a name', rawZip(archive({ name: 'a\0b', content: 'x' })), 'INVALID_DOCX'],
    [
      'has a symbolic link',
      rawZip(archive({ name: 'l', content: '/etc/passwd', attributes: 0o120777 * 65_536 })),
      'INVALID_DOCX',
    ],
    [
      'has an encrypted entry',
      rawZip(archive({ name: 'e', content: 'x', flags: 1 })),
      'ENCRYPTED_DOCX',
    ],
    [
      'has strong encryption',
      rawZip(archive({ name: 'e', content: 'x', flags: 0x41 })),
      'INVALID_DOCX',
    ],
    [
      'has an unknown compression',
      rawZip(archive({ name: 'e', content: 'x', method: 12 })),
      'INVALID_DOCX',
    ],
    ['has a wrong checksum', rawZip(archive({ name: 'e', content: 'x', crc: 7 })), 'INVALID_DOCX'],
    [
      'has entries that overlap',
      rawZip(archive({ name: 'a', content: 'x', offset: 0 })),
      'INVALID_DOCX',
    ],
    [
      'points behind its end',
      rawZip(archive({ name: 'a', content: 'x', offset: 0x7fff_ffff })),
      'INVALID_DOCX',
    ],
    [
      'declares sizes of ZIP64 that are not there',
      rawZip(archive({ name: 'a', content: 'x', declaredSize: 0xffff_ffff })),
      'DOCX_TOO_COMPLEX',
    ],
    [
      'has data that is no deflate',
      rawZip(archive({ name: 'a', content: 'xxxx', data: Buffer.from([7, 255, 1]) })),
      'INVALID_DOCX',
    ],
  ];
}

/** An archive with more entries than a file may have. */
export function manyEntries(): Buffer {
  const entries = Array.from({ length: 100_000 }, (_, index) => ({
    name: `${index}`,
    content: '',
    method: 0,
  }));
  return rawZip(entries, { count: 34_464 });
}
