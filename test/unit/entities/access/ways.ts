/** Ids of the records that the ways name. */
const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Records of every world: `seen` by the caller and `hidden`, with a `leaf` above the hidden one; both also deleted. */
export const IDS = {
  seen: id(1),
  leaf: id(2),
  hidden: id(3),
  seenDeleted: id(4),
  hiddenDeleted: id(5),
  visitOfSeen: id(6),
  visitOfHidden: id(7),
  made: id(8),
  firm: id(9),
  visitOfLeaf: id(10),
} as const;

/** Values that must not get out; the name is that of a hidden row. */
export const CANARY = {
  name: 'Quy',
  secret: 'canary',
  level: 'high',
  salary: 987_654,
  email: 'canary@example.com',
  token: 'token-of-the-canary',
} as const;

/** What the numbers of records begin with. */
export const NUMBERS = 'NUMBER-';

/** A way in which a value can be seen or inferred. */
export interface Way {
  readonly name: string;
  /** The action that the call asks for besides `view`, which decides what is shown. */
  readonly asks: 'view' | 'add' | 'edit' | 'delete';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the path of the entity. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Entity that is called; default: `person`, the one with the canaries. */
  readonly entity?: 'person' | 'visit' | 'firm';
  /** What somebody with all grants learns here: values of fields, or that a row is there. */
  readonly shows?: readonly ('field' | 'row')[];
  /**
   * Constraints that hold for hidden records as well say that a value or id is taken, and no more: why the answer
   * differs all the same.
   */
  readonly constraint?: string;
  /** Whether it says what a constraint would refuse, for records that the caller may view. */
  readonly foretells?: boolean;
}

type More = Partial<Omit<Way, 'name' | 'asks' | 'path'>>;
const way =
  (asks: Way['asks'], method: Way['method']) =>
  (name: string, path: string, more: More = {}): Way => ({ name, asks, method, path, ...more });

const read = way('view', 'GET');
const readDeleted = way('delete', 'GET');
const remove = way('delete', 'DELETE');
const put = way('edit', 'PUT');
const change = way('edit', 'POST');
const removeMany = way('delete', 'POST');
const post = way('add', 'POST');
const query = (parameters: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams(parameters)}`;
const both = { shows: ['field', 'row'] } as const;
const field = { shows: ['field'] } as const;
const row = { shows: ['row'] } as const;
const match = (version: string) => ({ headers: { 'if-match': version } });
const hiddenFilter = JSON.stringify({ or: [{ not: { salary: { gte: 5 } } }, { name: 'x' }] });

/** Every way in which a value of a record can be seen or inferred. */
export const WAYS: readonly Way[] = [
  read('detail', `/${IDS.seen}`, field),
  read('detail of a hidden row', `/${IDS.hidden}`, both),
  read('detail, fields', `/${IDS.seen}?fields=secret,token`, field),
  read('detail, If-None-Match', `/${IDS.seen}`, { headers: { 'if-none-match': '"1"' } }),
  read('detail of a hidden row, If-None-Match', `/${IDS.hidden}`, {
    ...row,
    headers: { 'if-none-match': '"1"' },
  }),
  read('list', '', both),
  read('list, fields', '?fields=secret,level', both),
  read('list, one on a page', '?size=1&sort=name', both),
  read('list, one on a page, by id', '?size=1&sort=id', both),
  read('list, second page', '?size=1&page=1&sort=-city', row),
  read('list without count', '?size=2&count=none', both),
  read('list, exact count', '?count=exact', both),
  read('list, explain', '?explain=true&city[ne]=x', row),
  read('list, consistent', '?consistent=true', both),
  read('list, sort by a hidden field', '?sort=secret', both),
  read('list, sort by a pair', '?sort=city,salary', both),
  read('filter', query({ secret: CANARY.secret }), both),
  read('filter, range', query({ 'salary[gte]': '500000' }), both),
  read('filter, presence', query({ 'email[exists]': 'true' }), field),
  read('filter, group', query({ filter: hiddenFilter }), field),
  read('filter for hidden rows', query({ city: 'Vinh' }), both),
  read('filter for a hidden row by id', query({ id: IDS.hidden }), both),
  read('filter for hidden rows by negation', query({ 'city[ne]': 'Huế' }), both),
  read('filter by a system field', query({ 'version[gte]': '1' }), both),
  read('q', query({ q: CANARY.secret }), both),
  read('q, beginning', query({ q: 'ca' }), both),
  read('q, sorted', query({ q: 'ca', sort: 'name', size: '1' }), both),
  read('q and a visible word', query({ q: 'An canary' }), field),
  read('count', '/count', row),
  read('count, filter', `/count${query({ level: CANARY.level })}`, both),
  read('count, q', `/count${query({ q: CANARY.secret })}`, both),
  read('count, exact', '/count?count=exact&city[ne]=x', row),
  read('facets', '/facets?fields=status', row),
  read('facets of a hidden field', '/facets?fields=level', both),
  read('facets, filter', `/facets${query({ fields: 'status', secret: CANARY.secret })}`, both),
  read('facets, q', `/facets${query({ fields: 'status', q: CANARY.secret })}`, both),
  read('facets of what rows are chosen by', '/facets?fields=city', row),
  read('aggregate', '/aggregate', row),
  read('aggregate by a visible field', '/aggregate?groupBy=city', row),
  read('aggregate by a hidden field', '/aggregate?groupBy=level', both),
  read('aggregate by two fields', '/aggregate?groupBy=status,salary', both),
  read('aggregate, sum', '/aggregate?groupBy=status&sum=salary', both),
  read('aggregate, average', '/aggregate?avg=salary', both),
  read('aggregate, lowest and last', '/aggregate?min=secret&max=secret', field),
  read('aggregate, highest', '/aggregate?max=name,salary', both),
  read('aggregate, filter', `/aggregate${query({ min: 'name', level: CANARY.level })}`, both),
  read('aggregate, q', `/aggregate${query({ groupBy: 'status', q: CANARY.secret })}`, both),
  read('aggregate of when rows were made', '/aggregate?groupBy=createdAt:month', row),
  read('tree', '/tree', both),
  read('tree, fields', '/tree?fields=secret,token', both),
  read('tree, cut', '/tree?maxNodes=1', field),
  read('tree, cut after two', '/tree?maxNodes=2', row),
  read('tree, first level', '/tree?depth=1', both),
  read('tree below a record', `/tree?root=${IDS.leaf}`, row),
  read('tree below a record, cut', `/tree?root=${IDS.leaf}&maxNodes=1`, row),
  read('tree below a hidden row', `/tree?root=${IDS.hidden}`, row),
  read('tree, q', query({ q: CANARY.secret }).replace('?', '/tree?')),
  read('export as csv', '/export?format=csv', both),
  read('export as json', '/export?format=json', both),
  read('export as ndjson, fields', '/export?format=ndjson&fields=secret', both),
  read('export, filter', `/export${query({ format: 'json', 'salary[gte]': '5' })}`, both),
  read('export, q', `/export${query({ format: 'json', q: CANARY.secret })}`, both),
  read('history', `/${IDS.seen}/history`, field),
  read('history of a hidden row', `/${IDS.hidden}/history`, both),
  read('history, page', `/${IDS.seen}/history?size=1&page=1`),
  read('expand', `/${IDS.visitOfSeen}?expand=person`, { ...field, entity: 'visit' }),
  read('expand of a hidden row', `/${IDS.visitOfHidden}?expand=person`, {
    ...both,
    entity: 'visit',
  }),
  read('expand in a list', '?expand=person', { ...both, entity: 'visit' }),
  read('filter by a related field', query({ 'person.secret': CANARY.secret }), {
    ...both,
    entity: 'visit',
  }),
  read('filter by a related field, presence', query({ 'person.email[exists]': 'true' }), {
    ...field,
    entity: 'visit',
  }),
  read('filter by related rows', query({ 'person.city': 'Vinh' }), { ...row, entity: 'visit' }),
  read('filter by related rows, negated', query({ 'person.city[ne]': 'Huế' }), {
    ...row,
    entity: 'visit',
  }),
  read('filter by related rows, group', query({ filter: '{"not":{"person.city":"Vinh"}}' }), {
    ...row,
    entity: 'visit',
  }),
  read('count by related rows', `/count${query({ 'person.name': CANARY.name })}`, {
    ...row,
    entity: 'visit',
  }),
  read('aggregate by a related field', `/aggregate${query({ 'person.level': 'high' })}`, {
    ...both,
    entity: 'visit',
  }),
  read('what refers to a record', `/${IDS.seen}/visits`),
  read('what refers to a hidden row', `/${IDS.hidden}/visits`, row),
  read('what refers to a record, expanded', `/${IDS.seen}/visits?expand=person`, field),
  read(
    'what refers to a record, by a hidden field',
    `/${IDS.seen}/visits?person.level=high`,
    field,
  ),
  ...['secret', 'salary', 'name'].flatMap((code) => {
    const isRow = code === 'name';
    const more = { ...(isRow ? {} : field), entity: 'visit' } as const;
    const last = { ...(isRow ? row : {}), entity: 'visit' } as const;
    return [
      read(`order of a related ${code}`, `?sort=person.${code}`, more),
      read(`order of a related ${code}, last`, `?sort=-person.${code}&size=1`, last),
      read(`export by a related ${code}`, `/export?format=json&sort=person.${code}`, more),
    ];
  }),
  read('export that expands', '/export?format=json&expand=person', { ...both, entity: 'visit' }),
  read('export that expands as csv', '/export?format=csv&expand=person', {
    ...both,
    entity: 'visit',
  }),
  read('export by related rows', '/export?format=json&person.city=Vinh', {
    ...row,
    entity: 'visit',
  }),
  read('export in order', '/export?format=json&sort=name', both),
  read('export in the order of a hidden field', '/export?format=json&sort=-secret', both),
  read('export in the order of a pair', '/export?format=csv&sort=city,salary', both),
  read('records of a firm', `/${IDS.firm}/people`, { ...both, entity: 'firm' }),
  read('records of a firm, one on a page', `/${IDS.firm}/people?size=1`, {
    ...both,
    entity: 'firm',
  }),
  read('records of a firm, by their field', `/${IDS.firm}/people:firm?fields=secret`, {
    ...both,
    entity: 'firm',
  }),
  read('records of a firm, filter', `/${IDS.firm}/people${query({ secret: CANARY.secret })}`, {
    ...both,
    entity: 'firm',
  }),
  read('records of a firm, order', `/${IDS.firm}/people?sort=salary`, { ...both, entity: 'firm' }),
  read('records of a firm, q', `/${IDS.firm}/people?q=ca`, { ...both, entity: 'firm' }),
  read('file of a record', `/${IDS.seen}/files/contract`, field),
  read('file of a hidden row', `/${IDS.hidden}/files/contract`, row),
  read('filter by a number', query({ number: `${NUMBERS}0001` })),
  read('order of numbers', '?sort=number'),
  read('filter by a file', query({ 'contract[exists]': 'true' })),
  read('form schema', '/schema'),

  readDeleted('trash', '/trash', both),
  readDeleted('trash, one on a page', '/trash?size=1', both),
  readDeleted('trash, filter', `/trash${query({ secret: CANARY.secret })}`, both),
  readDeleted('trash, q', `/trash${query({ q: CANARY.secret })}`, both),
  readDeleted('trash as a list', '?deleted=only&fields=secret', both),
  readDeleted('deleted record', `/${IDS.seenDeleted}?deleted=true`, field),
  readDeleted('deleted hidden row', `/${IDS.hiddenDeleted}?deleted=true`, both),
  readDeleted('live record with deleted=true', `/${IDS.seen}?deleted=true`, field),
  readDeleted('live hidden row with deleted=true', `/${IDS.hidden}?deleted=true`, both),

  put('change of nothing', `/${IDS.seen}`, { ...field, body: {} }),
  put('change', `/${IDS.seen}`, { ...field, body: { status: 'wip' } }),
  put('change by PATCH', `/${IDS.seen}`, { ...field, method: 'PATCH', body: { status: 'open' } }),
  put('change, wrong If-Match', `/${IDS.seen}`, { ...match('"99"'), body: { status: 'wip' } }),
  put('change that guesses a value', `/${IDS.seen}`, {
    ...field,
    body: { secret: CANARY.secret },
  }),
  put('change that guesses an encrypted value', `/${IDS.seen}`, {
    ...field,
    body: { token: CANARY.token },
  }),
  put('change of a hidden row', `/${IDS.hidden}`, { ...both, body: { status: 'wip' } }),
  put('change of nothing of a hidden row', `/${IDS.hidden}`, { ...both, body: {} }),
  put('change that guesses a name of a hidden row', `/${IDS.hidden}`, {
    ...both,
    body: { name: CANARY.name },
  }),
  put('change of a hidden row, wrong If-Match', `/${IDS.hidden}`, {
    ...row,
    ...match('"99"'),
    body: {},
  }),
  put('invalid change', `/${IDS.seen}`, { body: { status: 'none' } }),
  put('bulk change', '/bulk', {
    method: 'POST',
    body: { operations: [{ op: 'update', id: IDS.seen, data: { status: 'wip' } }] },
  }),
  put('bulk change of a hidden row', '/bulk', {
    ...row,
    method: 'POST',
    body: { operations: [{ op: 'update', id: IDS.hidden, data: { status: 'wip' } }] },
  }),
  put('atomic change of a hidden row', '/bulk', {
    ...row,
    method: 'POST',
    body: { atomic: true, operations: [{ op: 'update', id: IDS.hidden, data: { status: 'wip' } }] },
  }),
  put('import that looks for a value, dry run', '/import?mode=upsert&key=email&dryRun=true', {
    ...both,
    method: 'POST',
    body: [{ name: 'An', city: 'Huế', email: CANARY.email }],
    foretells: true,
  }),
  put('import that looks for a value', '/import?mode=upsert&key=email', {
    ...both,
    method: 'POST',
    body: [{ name: 'An', city: 'Huế', email: CANARY.email }],
    constraint: 'a unique value is taken',
  }),

  post('new record', '', { body: { id: IDS.made, name: 'Bình', city: 'Huế' } }),
  post('new record, repeated call', '', {
    body: { name: 'Cúc', city: 'Huế' },
    headers: { 'idempotency-key': 'key-1' },
  }),
  post('new record, the call repeated', '', {
    body: { name: 'Cúc', city: 'Huế' },
    headers: { 'idempotency-key': 'key-1' },
  }),
  post('new record with a number', '', { body: { name: 'Ích', city: 'Huế', number: 'x' } }),
  post('announcement of a file', '/files/uploads', {
    body: {
      ...{ field: 'contract', fileName: 'a.txt', contentType: 'text/plain' },
      ...{ sizeBytes: 1, sha256: '0'.repeat(64) },
    },
  }),
  post('invalid new record', '', { body: { name: 5, city: 'Huế' } }),
  post('new record with a field that is nearly the name of a hidden one', '', {
    body: { name: 'Dũng', city: 'Huế', secrt: 'x' },
  }),
  post('new record with a value that is taken', '', {
    body: { name: 'Em', city: 'Huế', email: CANARY.email },
    constraint: 'a unique value is taken',
  }),
  post('bulk creation with a value that is taken', '/bulk', {
    body: {
      operations: [{ op: 'create', data: { name: 'Em', city: 'Huế', email: CANARY.email } }],
    },
    constraint: 'a unique value is taken',
  }),
  post('import of a value that is taken', '/import', {
    body: [{ name: 'Em', city: 'Huế', email: CANARY.email }],
    constraint: 'a unique value is taken',
  }),
  post('new record below a hidden row', '', {
    ...row,
    body: { name: 'Hà', city: 'Huế', parentId: IDS.hidden },
    constraint: 'a parent or target exists',
  }),
  post('new record with an id that is taken', '', {
    ...row,
    body: { id: IDS.hidden, name: 'Giang', city: 'Huế' },
    constraint: 'an id is taken',
  }),

  way('delete', 'POST')('restoration of a live record', `/${IDS.seen}/restore`, field),
  way('delete', 'POST')('restoration of a live hidden row', `/${IDS.hidden}/restore`, both),
  way('delete', 'POST')('restoration of a hidden row', `/${IDS.hiddenDeleted}/restore`, both),
  way('delete', 'POST')('restoration', `/${IDS.seenDeleted}/restore`, field),
  way('delete', 'POST')('bulk deletion of a hidden row', '/bulk', {
    ...row,
    body: { operations: [{ op: 'delete', id: IDS.hidden, version: 99 }] },
  }),
  remove('deletion of a hidden row, wrong If-Match', `/${IDS.hidden}`, {
    ...row,
    ...match('"99"'),
  }),
  remove('purge of a hidden row', `/${IDS.hiddenDeleted}?purge=true`, {
    ...row,
    ...match('"99"'),
  }),
  remove('deletion of a hidden row', `/${IDS.hidden}`, row),
  change('change by a hidden value', '/bulk:update', {
    body: { filter: { secret: CANARY.secret }, data: { status: 'wip' } },
  }),
  change('change by a hidden value in a group, dry run', '/bulk:update', {
    body: { filter: { not: { salary: { gte: 5 } } }, data: { status: 'wip' }, dryRun: true },
  }),
  change('change that no record can have, dry run', '/bulk:update', {
    body: { filter: {}, data: { email: CANARY.email }, dryRun: true },
    constraint: 'a unique value is taken',
  }),
  change('change of hidden rows', '/bulk:update', {
    body: { filter: { city: 'Vinh' }, data: { status: 'wip' } },
  }),
  change('change by words', '/bulk:update', {
    body: { filter: {}, q: CANARY.secret, data: { status: 'wip' } },
  }),
  removeMany('deletion by a hidden value', '/bulk:delete', {
    body: { filter: { level: CANARY.level } },
  }),
  removeMany('deletion of hidden rows', '/bulk:delete', { body: { filter: { city: 'Vinh' } } }),
];
