import { toPage } from '../../shared/http/paging.ts';

/** A setting as the description of the API shows it. */
export const example = {
  name: 'mail.from',
  value: 'no-reply@example.com',
  desc: 'Sender of notices',
  secret: null,
  masked: false,
  encrypted: false,
  version: 3,
  entity: {
    id: 'mail.from',
    type: 'setting',
    version: 3,
    createdAt: '2026-01-05T08:00:00.000Z',
    createdBy: 'demo',
    updatedAt: '2026-03-01T09:30:00.000Z',
    updatedBy: 'demo',
  },
};
const { secret: _, entity: __, ...summary } = example;
export const pageExample = toPage({
  content: [
    { ...summary, truncated: false, updatedAt: example.entity.updatedAt, updatedBy: 'demo' },
  ],
  number: 0,
  size: 20,
});
export const historyExample = toPage({
  content: [
    {
      version: 3,
      change: 'UPDATED',
      value: example.value,
      masked: false,
      desc: example.desc,
      encrypted: false,
      at: example.entity.updatedAt,
      by: 'demo',
      issuer: 'https://login.example.com',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    },
  ],
  number: 0,
  size: 20,
});
