export const historyExample = {
  id: '019f5a3d-0000-7d9e-8a33-0c5f9a1b2c3d',
  batch: '019f5a3d-0000-7000-8a33-0c5f9a1b2c3d',
  identitySourceId: '019f5a3c-7c11-7d9e-8a33-0c5f9a1b2c3d',
  objectType: 'USER',
  triggerType: 'MANUAL',
  syncMode: 'FULL',
  compared: 'ALL',
  createdCount: 12,
  updatedCount: 3,
  deletedCount: 0,
  disabledCount: 1,
  skippedCount: 0,
  failedCount: 0,
  unchangedCount: 1_188,
  startTime: '2026-07-01T08:00:00.000Z',
  endTime: '2026-07-01T08:00:04.210Z',
  spendTime: 4_210,
  status: 'SUCCESS',
  reasonCode: null,
  desc: null,
  requestedBy: 'demo',
  sourceTotal: 1_204,
};

const record = {
  id: '019f5a3d-0000-7000-8a33-0c5f9a1b2c3d:USER:2819c223',
  syncHistoryId: historyExample.id,
  actionType: 'UPDATE',
  objectType: 'USER',
  objectId: '019f5a3c-9999-7d9e-8a33-0c5f9a1b2c3d',
  externalId: '2819c223',
  objectName: 'lan.nguyen',
  status: 'SUCCESS',
  reasonCode: null,
  desc: null,
  changes: [{ field: 'email', from: 'lan@example.com', to: 'lan.nguyen@example.com' }],
  time: '2026-07-01T08:00:03.000Z',
};

const pageOf = (entry: unknown) => ({
  content: [entry],
  ...{ number: 0, size: 20, numberOfElements: 1, totalElements: null, totalPages: null },
  ...{ first: true, last: true, empty: false, nextCursor: null, totalRelation: 'unknown' },
});

export const historyPage = pageOf(historyExample);
export const recordPage = pageOf(record);
