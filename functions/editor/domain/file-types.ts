export type DocumentType = 'word' | 'cell' | 'slide' | 'pdf' | 'diagram';

const words = (text: string): readonly string[] => text.split(' ');

/** Extensions by the editor that opens them. */
const TYPES: Readonly<Record<DocumentType, readonly string[]>> = {
  word: words(
    'doc docm docx dot dotm dotx epub fb2 fodt gdoc hml htm html hwp hwpx md mht mhtml odt ott pages rtf stw sxw txt wps wpt xml',
  ),
  cell: words('csv et ett fods gsheet numbers ods ots sxc tsv xls xlsb xlsm xlsx xlt xltm xltx'),
  slide: words(
    'dps dpt fodp gslides key odg odp otp pot potm potx pps ppsm ppsx ppt pptm pptx sxi',
  ),
  pdf: words('pdf djvu oxps xps'),
  diagram: words('vsdm vsdx vssm vssx vstm vstx'),
};

const BY_EXTENSION = new Map(
  Object.entries(TYPES).flatMap(([type, extensions]) =>
    extensions.map((extension) => [extension, type as DocumentType] as const),
  ),
);

/** Formats that are saved as what they were opened as. */
const EDITABLE = new Set(
  words('docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm potx potm ppsx ppsm'),
);

/** Formats that are zip packages of Office Open XML. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  docm: 'application/vnd.ms-word.document.macroEnabled.12',
  dotx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.template',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.12',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  pdf: 'application/pdf',
  rtf: 'application/rtf',
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  epub: 'application/epub+zip',
  zip: 'application/zip',
};

/** The editor of an extension; `undefined` when there is none. */
export const documentTypeOf = (extension: string): DocumentType | undefined =>
  BY_EXTENSION.get(extension);

/** Whether documents of an extension are saved as they were opened. */
export const isEditable = (extension: string): boolean => EDITABLE.has(extension);

/** Whether forms of an extension are filled in. */
export const isFillable = (extension: string): boolean =>
  extension === 'pdf' || isEditable(extension);

/** The content type of an extension. */
export const contentTypeOf = (extension: string): string =>
  CONTENT_TYPES[extension] ?? 'application/octet-stream';
