const templateId = '0197b4c0-0000-7000-8000-000000000001';
const fileHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const current = { fileVersion: 1, fileName: 'contract.docx', fileSize: 24_576, fileHash };

export const declaration = {
  name: 'ho_ten',
  label: 'Họ tên',
  sourceType: 'ENTITY',
  sourceRef: 'employee.fullName',
  dataType: 'STRING',
  required: true,
  lockedInOutput: true,
};

const field = {
  ...declaration,
  ...{ expression: null, format: null, defaultValue: null },
  ...{ bound: true, occurrences: 2 },
};

export const fileVersion = {
  templateId,
  ...current,
  origin: 'UPLOAD',
  restoredFrom: null,
  warnings: [],
  createdAt: '2026-03-01T09:30:00.000Z',
  createdBy: 'demo',
};

export const fieldList = { templateId, version: 3, fileVersion: 1, fields: [field] };

export const uploaded = { templateId, ...current, fields: [field], warnings: [] };

const occurrence = {
  name: 'ho_ten',
  part: 'word/document.xml',
  location: 'BODY',
  paragraph: 7,
  kind: 'MUSTACHE',
  raw: '{{ho_ten}}',
  switches: null,
  splitRuns: 3,
  nested: false,
  wrapped: true,
};

export const inspection = {
  ...{ templateId, fileVersion: 1, fileHash, normalized: true },
  summary: {
    occurrences: 1,
    distinct: 1,
    byKind: { MERGEFIELD: 0, MUSTACHE: 1, BRACKET: 0, GUILLEMET: 0 },
  },
  fields: [{ name: 'ho_ten', kinds: ['MUSTACHE'], occurrences: [occurrence] }],
  ...{ sections: [], unbound: [], unused: [], invalid: [], warnings: [] },
};
