const id = '019f5a3c-5555-7d9e-8a33-0c5f9a1b2c3d';
const at = '2026-07-01T08:00:00.000Z';
const redirectUri = 'https://api.example.com/api/v1/identity_provider/staff/callback';
const config = {
  issuer: 'https://login.example.com',
  clientId: 'svc-cloud',
  scopes: ['openid', 'profile', 'email'],
  mapping: { roles: 'roles' },
  externalIdClaim: 'sub',
};
const facts = {
  name: 'Staff',
  identitySourceId: null,
  autoCreate: true,
  matching: 'identifier',
  allowedDomains: ['example.com'],
  displayed: true,
  remark: null,
};

export const newProvider = {
  ...facts,
  code: 'staff',
  type: 'OIDC',
  config: { ...config, clientSecret: 'a secret of the provider' },
};
export const changed = { ...facts, config };
export const created = { id, code: 'staff', redirectUri };
const row = {
  ...{ id, code: 'staff', type: 'OIDC', enabled: true, ...facts },
  ...{ version: 2, createTime: at, updateTime: at },
};
export const list = { content: [row] };
export const provider = { ...row, redirectUri, config: { ...config, clientSecretSet: true } };
export const validation = {
  valid: false,
  checks: [
    { name: 'discovery', status: 'PASS', latencyMs: 41, message: 'In order.' },
    {
      ...{ name: 'client', status: 'FAIL', latencyMs: 38 },
      message: 'The provider does not know the client, or it has another secret.',
    },
  ],
};
