/** Types of values that a field declares. The last four stand for a picture or a place in the document. */
export const DATA_TYPES = [
  'STRING',
  'NUMBER',
  'INTEGER',
  'CURRENCY',
  'PERCENT',
  'DATE',
  'DATETIME',
  'TIME',
  'BOOLEAN',
  'LIST',
  'IMAGE',
  'QR',
  'BARCODE',
  'SIGNATURE',
] as const;

export type DataType = (typeof DATA_TYPES)[number];

export const isNumeric = (type: DataType): boolean =>
  type === 'NUMBER' || type === 'INTEGER' || type === 'CURRENCY' || type === 'PERCENT';

export const isTemporal = (type: DataType): boolean =>
  type === 'DATE' || type === 'DATETIME' || type === 'TIME';
