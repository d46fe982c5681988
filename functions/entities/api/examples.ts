const at = '2026-03-01T09:30:00.000Z';
const id = '019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10';

export const formSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Họ tên', maxLength: 200 },
    status: { type: 'string', enum: ['open', 'closed'], default: 'open' },
  },
};

export const newDefinition = {
  code: 'customer',
  name: 'Khách hàng',
  apiPath: 'customers',
  uiSchemaJson: formSchema,
};

export const field = {
  code: 'name',
  name: 'Họ tên',
  fieldType: 'STRING',
  dataType: 'string',
  required: true,
  maxLength: 200,
  readOnly: false,
  writeOnly: false,
  unique: false,
  searchable: true,
  searchMode: 'word',
  facet: false,
  sortable: true,
  operators: ['eq', 'ne', 'in', 'nin', 'startsWith', 'contains', 'endsWith'],
  order: 0,
  visible: true,
  schemaVersion: 1,
  indexState: 'READY',
};

const summary = {
  id,
  code: 'customer',
  name: 'Khách hàng',
  apiPath: 'customers',
  requireAuth: true,
  requirePermission: false,
  hierarchical: false,
  schemaVersion: 1,
  version: 1,
  createdAt: at,
  createdBy: 'demo',
  updatedAt: at,
  updatedBy: 'demo',
};

export const definition = {
  ...summary,
  options: {
    shards: 1,
    events: 'none',
    onDeleteChildren: 'restrict',
    history: false,
    requireIfMatch: false,
  },
  uiSchemaJson: JSON.stringify(formSchema),
  fields: [field],
};

const page = {
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
};

export const definitionPage = { content: [summary], ...page };

export const schemaOutcome = {
  code: 'customer',
  schemaVersion: 2,
  version: 2,
  fields: [field],
  changes: [{ field: 'status', change: 'ADDED', compatible: true, backfill: false }],
  jobs: [{ id, field: 'status', state: 'WAITING' }],
};

export const schemaVersion = {
  schemaVersion: 1,
  uiSchemaJson: JSON.stringify(formSchema),
  at,
  by: 'demo',
};

export const job = {
  id,
  kind: 'INDEX',
  state: 'RUNNING',
  processed: 200,
  total: 1_000,
  result: {},
  createdAt: at,
  updatedAt: at,
};

export const record = {
  id,
  name: 'Nguyễn Văn An',
  status: 'open',
  version: 1,
  createdAt: at,
  createdBy: 'demo',
  updatedAt: at,
  updatedBy: 'demo',
};

export const exported = { id, name: 'Nguyễn Văn An', status: 'open' };

export const recordPage = {
  content: [record],
  ...page,
  prevCursor: null,
  sort: ['-createdAt'],
  complete: true,
};
export const trashPage = {
  ...recordPage,
  content: [{ ...record, deletedAt: at, deletedBy: 'demo' }],
  totalElements: null,
  totalPages: null,
  totalRelation: 'unknown',
  sort: ['-deletedAt'],
};

export const recordBody = { name: 'Nguyễn Văn An', status: 'open' };

const csvFile = 'name,status\nNguyễn Văn An,open\n';
/** Files of records, by content type. */
export const files = {
  'text/csv': csvFile,
  'application/x-ndjson': `${JSON.stringify(recordBody)}\n`,
  'application/octet-stream': csvFile,
};
/** The same record in an export. */
export const exportedFile = `id,name,status\n${id},Nguyễn Văn An,open\n`;

export const historyPage = {
  content: [
    {
      version: 2,
      action: 'UPDATED',
      at,
      by: 'demo',
      issuer: 'https://login.example.com',
      changes: [{ field: 'status', before: 'open', after: 'closed' }],
    },
  ],
  ...page,
  totalElements: null,
  totalPages: null,
  totalRelation: 'unknown',
};

export const treeNodes = [
  { id, parentId: null, level: 0, label: 'Head office', hasChildren: false, children: [] },
];

export const form = {
  code: 'customer',
  name: 'Khách hàng',
  version: 1,
  hierarchical: false,
  schema: formSchema,
  uiSchema: {},
  fields: [field],
  permissions: { view: true, add: true, edit: false, delete: false },
};

export const bulkBody = {
  operations: [
    { op: 'create', data: recordBody },
    { op: 'delete', id },
  ],
  atomic: false,
};

export const bulkResult = {
  results: [
    { index: 0, status: 201, id, version: 1 },
    {
      index: 1,
      status: 404,
      error: { code: 'RECORD_NOT_FOUND', detail: `customer has no record ${id}.` },
    },
  ],
};

export const importResult = {
  created: 2,
  updated: 0,
  failed: 1,
  errors: [{ row: 3, field: 'name', code: 'REQUIRED' }],
};

export const aggregate = {
  groups: [{ by: { status: 'open' }, count: 2, sum: { amount: '30.5' }, avg: { amount: '15.25' } }],
  count: 2,
  complete: true,
};
