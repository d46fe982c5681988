const id = '019f5a3c-7c11-7d9e-8a33-0c5f9a1b2c3d';
const at = '2026-07-01T08:00:00.000Z';

const connection = {
  baseUrl: 'https://idm.example.com/scim/v2',
  adminUsername: 'sync',
  domainOverride: null,
  adminTokenTtlMinutes: 30,
  incrementalEnabled: true,
  notifyTemplateCode: 'welcome',
  authMode: 'auto',
  tokenUrl: null,
  clientId: null,
  eventIssuer: null,
  eventJwksUri: null,
};
const strategy = {
  organization: {},
  guard: { maxDeletePercent: 20, maxDeleteCount: 500 },
  mapping: {},
  scope: { includeGroups: [], excludeGroups: [] },
  roles: { Editors: ['editor'] },
  fullEveryHours: 24,
};
const user = {
  enabled: true,
  emailNotify: true,
  matching: 'identifier',
  trustedDomains: [],
  onMissing: 'DISABLE',
};
const jobConfig = { mode: 'timed', value: '02:30', timezone: 'Asia/Ho_Chi_Minh' };

export const newSource = { name: 'Head office', provider: 'EXTSRC', code: 'head-office' };

export const row = {
  id,
  code: 'head-office',
  name: 'Head office',
  provider: 'EXTSRC',
  remark: null,
  enabled: true,
  configured: true,
  state: 'ENABLED',
  version: 3,
  createTime: at,
  updateTime: at,
};

export const config = {
  id,
  basicConfig: { ...connection, adminPasswordSet: true, clientSecretSet: false },
  strategyConfig: { ...strategy, user: { ...user, defaultPasswordSet: false } },
  jobConfig,
  version: 3,
};

export const source = {
  ...row,
  ...config,
  registration: { status: 'REGISTERED', at },
  health: { status: 'OK', consecutiveFailures: 0 },
  schedule: {
    expressions: ['cron(30 2 * * ? *)'],
    timezone: 'Asia/Ho_Chi_Minh',
    nextRuns: ['2026-07-01T19:30:00.000Z', '2026-07-02T19:30:00.000Z', '2026-07-03T19:30:00.000Z'],
  },
  callbackUrl: 'https://api.example.com/api/v1/synchronizer/event_receive/head-office',
  eventSecretSet: true,
  lastSync: null,
  runningBatch: null,
};

export const savedConfig = {
  id,
  basicConfig: { ...connection, adminPassword: 'a secret of the source' },
  strategyConfig: { ...strategy, user },
  jobConfig,
};

export const created = {
  id,
  code: 'head-office',
  eventSecret: 'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxlIG9mIG9uZSE=',
};

export const validation = {
  valid: true,
  checks: [{ name: 'login', status: 'PASS', latencyMs: 41, message: 'Logged in by a token.' }],
  capabilities: { authMode: 'token', filter: true, maxResults: 200, userCount: 1_204 },
};

export const rowsPage = {
  content: [row],
  ...{ number: 0, size: 20, numberOfElements: 1, totalElements: 1, totalPages: 1 },
  ...{ first: true, last: true, empty: false, nextCursor: null, totalRelation: 'eq' },
};
