const templateId = '0197b4c0-0000-7000-8000-000000000001';

const entry = {
  generationId: '0197b4c0-0000-7000-8000-000000000002',
  ...{ templateId, fileVersion: 1, status: 'GENERATED', editStatus: 'EDITABLE', format: 'DOCX' },
  fileName: 'labour-contract_20260301-163000.docx',
  outputHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ...{ warningCodes: [], documentNumber: '0001/2026/labour-contract' },
  ...{ entityType: 'employee', entityId: null, failure: null },
  ...{ createdAt: '2026-03-01T09:30:00.000Z', createdBy: 'demo' },
  ...{ updatedAt: '2026-03-01T09:30:01.000Z' },
  ...{ finalizedAt: null, finalizedBy: null, cancelledAt: null, cancelledBy: null },
};

export const generation = {
  ...entry,
  fileUrl: 'https://bucket.s3.eu-central-1.amazonaws.com/documents/x.docx?X-Amz-Signature=0',
  docsEditUrl: 'https://api.example.com/api/v1/docs/editor?fileId=documents%2Fx.docx&mode=edit',
  warnings: [],
};

export const listed = entry;

export const request = {
  outputFormat: 'DOCX',
  entityData: { ho_ten: 'Nguyễn Văn An' },
  idempotencyKey: 'contract-4711',
};

export const preview = {
  fileUrl: generation.fileUrl,
  fileName: entry.fileName,
  format: 'DOCX',
  warningCodes: ['FIELD_VALUE_MISSING'],
  warnings: [{ code: 'FIELD_VALUE_MISSING', field: 'luong', message: 'The field has no value.' }],
};
