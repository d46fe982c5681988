export const newTemplate = {
  code: 'labour-contract',
  name: 'Hợp đồng lao động',
  type: 'TYPE_1',
  entityType: 'employee',
};

export const template = {
  id: '0197b4c0-0000-7000-8000-000000000001',
  ...newTemplate,
  status: 'ACTIVE',
  description: null,
  numberPattern: null,
  file: null,
  docsEditUrl:
    'https://api.example.com/api/v1/docs/editor?fileId=documents%2Ftemplates%2Fx.docx&mode=edit',
  version: 1,
  createdAt: '2026-03-01T09:30:00.000Z',
  createdBy: 'demo',
  updatedAt: '2026-03-01T09:30:00.000Z',
  updatedBy: 'demo',
};

/** A page with one entry. */
export const pageOf = (entry: object) => ({
  content: [entry],
  number: 0,
  size: 20,
  numberOfElements: 1,
  totalElements: 1,
  totalPages: 1,
  first: true,
  last: true,
  empty: false,
  nextCursor: null,
  totalRelation: 'eq',
});
