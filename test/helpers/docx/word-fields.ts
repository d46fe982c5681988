import { run } from './make-docx.ts';

/** A field as Word writes it: the instruction over several runs, and a result. */
export const complexField = (instructions: readonly string[], result = '', format = ''): string =>
  [
    character('begin'),
    ...instructions.map((text) => instruction(text)),
    character('separate'),
    result && `<w:r>${format}<w:t>${result}</w:t></w:r>`,
    character('end'),
  ].join('');

export const simpleField = (instruction: string, result = ''): string =>
  `<w:fldSimple w:instr="${instruction.replaceAll('"', '&quot;')}">${run(result)}</w:fldSimple>`;

export const character = (type: 'begin' | 'separate' | 'end'): string =>
  `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;

export const instruction = (text: string, format = ''): string =>
  `<w:r>${format}<w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;

/** A text box as Word writes it: both copies. */
export const textBox = (choice: string, fallback = choice): string =>
  `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>${choice}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${fallback}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;

/** A content control. */
export const control = (properties: string, content: string): string =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
