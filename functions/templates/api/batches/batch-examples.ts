const templateId = '0197b4c0-0000-7000-8000-000000000001';
const entityId = '0197b4c0-0000-7000-8000-000000000004';

export const request = {
  outputFormat: 'PDF',
  file: 'PDF',
  records: [{ entityId }, { entityData: { ho_ten: 'Nguyễn Văn An' } }],
};

export const batch = {
  batchId: '0197b4c0-0000-7000-8000-000000000005',
  ...{ templateId, state: 'RUNNING', outputFormat: 'PDF', file: 'PDF', fileVersion: 1 },
  ...{ entityType: 'employee', processed: 1, failed: 0, total: 2 },
  ...{ fileName: 'labour-contract_20260301093000.pdf', fileUrl: null, failure: null },
  ...{ createdAt: '2026-03-01T09:30:00.000Z', createdBy: 'demo' },
  updatedAt: '2026-03-01T09:30:01.000Z',
};

export const result = {
  ...{ index: 0, entityId, status: 'GENERATED' },
  generationId: '0197b4c0-0000-7000-8000-000000000002',
  failure: null,
};
