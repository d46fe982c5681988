const at = '2026-07-01T08:00:00.000Z';

export const user = {
  id: '019f5a3c-9999-7d9e-8a33-0c5f9a1b2c3d',
  userName: 'lan.nguyen',
  email: 'lan.nguyen@example.com',
  phone: null,
  fullName: 'Nguyễn Thị Lan',
  nickName: null,
  givenName: 'Lan',
  familyName: 'Nguyễn',
  status: 'ENABLED',
  disabledBy: null,
  orgIds: ['019f5a3c-1111-7d9e-8a33-0c5f9a1b2c3d'],
  roles: ['editor'],
  attributes: { badge: '4711' },
  origin: 'SOURCE',
  passwordSet: false,
  links: [{ sourceId: '019f5a3c-7c11-7d9e-8a33-0c5f9a1b2c3d', externalId: '2819c223' }],
  version: 2,
  createdAt: at,
  updatedAt: at,
};

export const page = {
  content: [user],
  ...{ number: 0, size: 20, numberOfElements: 1, totalElements: null, totalPages: null },
  ...{ first: true, last: true, empty: false, nextCursor: null, totalRelation: 'unknown' },
};

const sales = {
  ...{ id: '019f5a3c-1111-7d9e-8a33-0c5f9a1b2c3d', name: 'Sales', code: 'sales' },
  ...{ order: null, children: [] },
};

export const tree = {
  content: [
    {
      ...{ id: '019f5a3c-0000-7d9e-8a33-0c5f9a1b2c3d', name: 'Head office', code: 'head-office' },
      ...{ order: null, children: [sales] },
    },
  ],
};
