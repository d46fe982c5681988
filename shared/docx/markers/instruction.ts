import { nameOf } from './names.ts';

/** Parsed instruction of a MERGEFIELD. */
export interface MergeInstruction {
  readonly name: string;
  /** Its switches as they are written, without those that only say where the format comes from. */
  readonly switches: string | undefined;
  /** `\* CHARFORMAT`: the first run of the instruction has the format, not that of the result. */
  readonly formatOfInstruction: boolean;
}

const KEYWORD = /^\s*([A-Za-z]+)/;
const MERGE_FIELD =
  /^\s*MERGEFIELD\s+(?:"((?:[^"\\]|\\.)*)"|[\u201c\u201d]([^\u201c\u201d]*)[\u201c\u201d]|([^\s\\"]+))(.*)$/is;
/** A switch with its argument (ISO/IEC 29500-1, 17.16.1). */
const SWITCH = /\\([^\s\\])\s*("[^"]*"|[\u201c\u201d][^\u201c\u201d]*[\u201c\u201d]|[^\s\\"]+)?/g;
const FORMAT_SOURCE = /^"?(?:MERGEFORMAT(?:INET)?|CHARFORMAT)"?$/i;
const CHAR_FORMAT = /\\\*\s*CHARFORMAT\b/i;
const EXTERNAL = [
  'INCLUDE',
  'INCLUDEPICTURE',
  'INCLUDETEXT',
  'DDE',
  'DDEAUTO',
  'IMPORT',
  'LINK',
  'DATABASE',
  'RD',
];

/** A link to anything but http, https and mailto. */
const FORBIDDEN_LINK =
  /^\s*HYPERLINK\s+["\u201c]?\s*(?!https?:|mailto:)(?:[a-z][a-z\d+.-]*:|\/\/|\\\\)/i;

/** Undefined for another field. */
export function parseMergeField(instruction: string): MergeInstruction | undefined {
  const match = MERGE_FIELD.exec(instruction);
  if (!match) return undefined;
  const [, quoted, curly, bare, rest = ''] = match;
  return {
    name: nameOf(quoted?.replace(/\\(.)/g, '$1') ?? curly ?? bare ?? ''),
    switches: switchesOf(rest) || undefined,
    formatOfInstruction: CHAR_FORMAT.test(rest),
  };
}

/** Without `\m` and `\v`, which mean nothing here. */
function switchesOf(text: string): string {
  return [...text.matchAll(SWITCH)]
    .filter(
      ([, letter = '', argument = '']) =>
        !/[mv]/i.test(letter) && !isFormatSource(letter, argument),
    )
    .map(([whole]) => whole.replace(/\s+/g, ' ').trim())
    .join(' ');
}

const isFormatSource = (letter: string, argument: string): boolean =>
  letter === '*' && FORMAT_SOURCE.test(argument);

/** Whether a field takes in what is not in the document, or leads where no link may: such fields are never evaluated. */
export const isExternalField = (instruction: string): boolean =>
  EXTERNAL.includes(KEYWORD.exec(instruction)?.[1]?.toUpperCase() ?? '') ||
  FORBIDDEN_LINK.test(instruction);
