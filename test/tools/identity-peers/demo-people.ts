/** A user or group as SCIM has it. */
export interface PeerResource {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** What a directory begins with. */
export interface PeerDirectory {
  readonly users: readonly PeerResource[];
  readonly groups: readonly PeerResource[];
}

const FAMILY = ['Nguyễn', 'Trần', 'Lê', 'Phạm', 'Hoàng', 'Vũ', 'Đặng', 'Bùi'];
const MIDDLE = ['Thị', 'Văn', 'Minh', 'Ngọc'];
const GIVEN = ['Mai', 'An', 'Lan', 'Hùng', 'Thảo', 'Dũng', 'Hoa', 'Nam', 'Trang', 'Quân'];
/** Departments and what is above each of them. */
const DEPARTMENTS: readonly (readonly [id: string, name: string, parent?: string])[] = [
  ['company', 'Công ty Sao Mai'],
  ['sales', 'Kinh doanh', 'company'],
  ['sales-north', 'Kinh doanh miền Bắc', 'sales'],
  ['sales-south', 'Kinh doanh miền Nam', 'sales'],
  ['technology', 'Công nghệ', 'company'],
  ['accounting', 'Kế toán', 'company'],
];
const TEAMS = ['sales-north', 'sales-south', 'technology', 'accounting'];

/** A company of so many people in six departments; the same at each start. */
export function demoPeople(count = 40): PeerDirectory {
  const users = Array.from({ length: count }, (_, index) => demoUser(index));
  const membersOf = (id: string) => [
    ...DEPARTMENTS.filter(([, , parent]) => parent === id).map(([value]) => ({
      ...{ value, type: 'Group' },
    })),
    ...users
      .filter((_, index) => TEAMS[index % TEAMS.length] === id)
      .map(({ id: value }) => ({ value, type: 'User' })),
  ];
  const groups = DEPARTMENTS.map(([id, displayName]) => ({
    ...{ id, displayName, members: membersOf(id) },
  }));
  return { users, groups };
}

function demoUser(index: number): PeerResource {
  const number = String(index + 1).padStart(2, '0');
  const familyName = pick(FAMILY, index);
  const givenName = pick(GIVEN, index + Math.floor(index / GIVEN.length));
  const userName = index === 0 ? 'mai' : `user-${number}`;
  return {
    id: `person-${number}`,
    ...{ userName, active: true, name: { familyName, givenName } },
    displayName: `${familyName} ${pick(MIDDLE, index)} ${givenName}`,
    emails: [{ value: `${userName}@saomai.example`, primary: true }],
    phoneNumbers: [{ value: `+84 90 555 00 ${number}`, type: 'mobile' }],
  };
}

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';
