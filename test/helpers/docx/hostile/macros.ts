import { type DocxParts, makeDocx, relationship } from '../make-docx.ts';
import type { HostileFile } from './hostile-file.ts';

const type = (name: string, content: string): string =>
  `<Override PartName="/${name}" ContentType="${content}"/>`;

const FORMS: readonly [string, DocxParts][] = [
  [
    'a macro-enabled document',
    { mainType: 'application/vnd.ms-word.document.macroEnabled.main+xml' },
  ],
  [
    'a macro-enabled template',
    { mainType: 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml' },
  ],
  ['vbaProject.bin', { entries: { 'word/vbaProject.bin': 'x' } }],
  [
    'a macro project under another name',
    {
      types: type('word/image1.png', 'application/vnd.ms-office.vbaProject'),
      entries: { 'word/image1.png': 'x' },
    },
  ],
  ['a relationship to one', { relationships: relationship('v', 'vbaProject', 'x.bin') }],
  ['an ActiveX control', { entries: { 'word/activeX/activeX1.xml': '<a/>' } }],
];

/** Files with programs in them, in all forms that Office knows. */
export const hostileMacros = (): readonly HostileFile[] =>
  FORMS.map(([what, parts]) => [what, makeDocx(parts), 'MACROS_NOT_ALLOWED']);
