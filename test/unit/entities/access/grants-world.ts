import { createHash } from 'node:crypto';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { storeEncryptionKey } from '../encryption-key.ts';
import { anEntitiesApi, DEFINITIONS, type EntitiesApi, RECORDS } from '../entities-api.ts';
import { CANARY, IDS, NUMBERS, type Way } from './ways.ts';

type Values = Readonly<Record<string, unknown>>;
export type Decide = (action: string) => boolean | PermissionDecision;

/** What is kept secret: the values of fields, or a row. */
export type Secret = 'field' | 'row';
/** What is there instead: the canaries, other values, or nothing. */
export type Variant = 'canary' | 'other' | 'nothing';

const PEOPLE = `${RECORDS}/person`;
const { name, email, ...canary } = CANARY;
/** Texts of the files that records have. */
const FILES: Readonly<Record<Variant, string | undefined>> = {
  ...{ canary: 'the contract', other: 'another contract', nothing: undefined },
};
const OTHER = { secret: 'other', level: 'low', salary: 1, token: 'another token' };
const VALUES: Readonly<Record<Variant, Values>> = { canary, other: OTHER, nothing: {} };
const EMAILS = { canary: { email }, other: { email: 'other@example.com' }, nothing: {} };
const OWN = { secret: 'own', level: 'low', salary: 10, token: 'own token' };

const person = {
  ...{ code: 'person', name: 'Person', apiPath: 'people' },
  ...{ requirePermission: true, hierarchical: true, options: { history: true, events: 'full' } },
  uiSchemaJson: {
    type: 'object',
    'x-tree-order': 'salary',
    'x-indexes': [['city', 'salary']],
    properties: {
      name: { type: 'string', 'x-search': true },
      city: { type: 'string' },
      status: { type: 'string', enum: ['open', 'wip', 'closed'] },
      secret: { type: 'string', 'x-search': true },
      level: { type: 'string', enum: ['low', 'high'] },
      salary: { type: 'integer' },
      email: { type: 'string', 'x-unique': true },
      token: { type: 'string', 'x-encrypted': true },
      number: { type: 'string', 'x-number': `${NUMBERS}{0000}` },
      contract: { type: 'string', format: 'file', 'x-file': { maxBytes: 1_000 } },
      firm: { type: 'string', 'x-reference': { entity: 'firm', onDelete: 'none' } },
    },
  },
};
const firm = {
  ...{ code: 'firm', name: 'Firm', apiPath: 'firms' },
  uiSchemaJson: { type: 'object', properties: { name: { type: 'string' } } },
};
const visit = {
  ...{ code: 'visit', name: 'Visit', apiPath: 'visits' },
  uiSchemaJson: {
    type: 'object',
    properties: {
      person: { type: 'string', 'x-reference': { entity: 'person', onDelete: 'none' } },
    },
  },
};

/** Records with a secret, who may see everything, and a caller with narrowed grants. */
export interface GrantsWorld {
  readonly open: EntitiesApi;
  readonly caller: EntitiesApi;
}

/** Makes records with a secret. */
export async function aGrantsWorld(
  secret: Secret,
  variant: Variant,
  decide: Decide,
  by: 'host' | 'policies' = 'host',
): Promise<GrantsWorld> {
  const storage = memoryStorage();
  const open = anEntitiesApi({
    host: { permissionEvaluator: { hasPermission: () => true }, storage },
  });
  await storeEncryptionKey(open.context);
  for (const definition of [firm, person, visit]) expectDone(await open.define(definition));
  const ofFields = secret === 'field' ? VALUES[variant] : OWN;
  const ofRows = secret === 'field' ? VALUES[variant] : { ...VALUES[variant], ...EMAILS[variant] };
  const inFirm = { status: 'open', firm: IDS.firm };
  const seen = { name: 'An', city: 'Huế', ...inFirm, ...ofFields };
  const hidden = {
    ...{
      name: secret === 'row' && variant === 'canary' ? name : 'Xuân',
      city: 'Vinh',
      ...inFirm,
      ...ofRows,
    },
    parentId: IDS.leaf,
  };
  const make = async (entity: string, id: string, values: Values): Promise<void> =>
    expectDone(await open.post(`${RECORDS}/${entity}`, { id, ...values }));
  await make('firm', IDS.firm, { name: 'Firm' });
  const contract = await uploaded(open, FILES[variant]);
  const one = { ...EMAILS[variant], ...contract };
  await make('person', IDS.seen, secret === 'field' ? { ...seen, ...one } : seen);
  await make('person', IDS.leaf, { name: 'Ánh', city: 'Huế', salary: 500, secret: 'a' });
  await make('person', IDS.hidden, secret === 'row' ? { ...hidden, ...contract } : hidden);
  await make('person', IDS.seenDeleted, { ...seen, name: 'Oanh' });
  await make('person', IDS.hiddenDeleted, { ...hidden, email: undefined, name: 'Yến' });
  await make('visit', IDS.visitOfSeen, { person: IDS.seen });
  await make('visit', IDS.visitOfHidden, { person: IDS.hidden });
  await make('visit', IDS.visitOfLeaf, { person: IDS.leaf });
  const isGone = secret === 'row' && variant === 'nothing';
  const purge = isGone ? '?purge=true' : '';
  for (const path of [IDS.seenDeleted, `${IDS.hiddenDeleted}${purge}`]) {
    open.context.clock.advance(1_000);
    expectDone(await open.remove(`${PEOPLE}/${path}`));
  }
  if (isGone) expectDone(await open.remove(`${PEOPLE}/${IDS.hidden}${purge}`));
  if (by === 'policies') {
    const options = { ...person.options, policies: policiesOf(decide) };
    const path = `${DEFINITIONS}/code/person`;
    expectDone(await open.put(path, { options }));
    open.context.clock.advance(60_000);
  }
  const hasPermission = (_who: unknown, target: string, action: string) =>
    target === 'people' && by === 'host' ? decide(action) : true;
  const host = { permissionEvaluator: { hasPermission }, storage };
  return { open, caller: anEntitiesApi({ besides: open.context, host }) };
}

/** Uploads a file for a record. @returns the value of its field */
async function uploaded(api: EntitiesApi, text: string | undefined): Promise<Values> {
  if (text === undefined) return {};
  const announced = await api.post(`${PEOPLE}/files/uploads`, {
    ...{ field: 'contract', fileName: `${text}.txt`, contentType: 'text/plain' },
    sizeBytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  });
  expectDone(announced);
  const { method, url, headers } = announced.body.upload as Upload;
  const path = url.replace('http://api.example.com', '');
  expectDone(await api.call({ method, path, headers, caller: null, body: Buffer.from(text) }));
  return { contract: announced.body.id };
}

interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The same as policies of the definition. */
function policiesOf(decide: Decide): readonly object[] {
  return ['view', 'add', 'edit', 'delete'].flatMap((action): object[] => {
    const decision = decide(action);
    if (decision === true) return [];
    if (decision === false) return [{ actions: [action], allowed: false }];
    const { allowed: _allowed, ...narrowing } = decision;
    return [{ actions: [action], ...narrowing }];
  });
}

function expectDone({ status, text }: ApiAnswer): void {
  if (status >= 300) throw new Error(text);
}

/** Everything that somebody who takes a way can observe, without what differs from call to call. */
export async function observe(
  api: EntitiesApi,
  { entity = 'person', method, path, body, headers = {} }: Way,
): Promise<string> {
  const answer = await api.call({
    ...{ method, path: `${RECORDS}/${entity}${path}`, headers },
    ...(body !== undefined && { body }),
  });
  const job = answer.status === 202 ? await ended(api, answer) : [];
  const shown = ['etag', 'location', 'x-truncated', 'x-total-relation', 'x-left-out-fields'];
  const observed = [
    answer.status,
    ...shown.map((name) => `${name}: ${answer.headers[name]}`),
    ...[answer.text, ...job].map((text) =>
      withoutNamesOfWalks(text.replace(/"traceId":"[^"]*"/g, '')),
    ),
  ];
  return withoutOtherIds(observed.join('\n'));
}

/** What a job says at its end. */
async function ended(api: EntitiesApi, { headers }: ApiAnswer): Promise<string[]> {
  await api.runJobs();
  return [(await api.get(String(headers.location))).text];
}

/** Each list that is followed by cursors has a random name in them, each link one of its own. */
function withoutNamesOfWalks(text: string): string {
  const links = text.replace(/token=[\w-]+/g, 'token=<token>');
  return links.replace(/"((?:next|prev)Cursor)":"([^"]+)"/g, (_, name, cursor) => {
    const read = Buffer.from(cursor, 'base64url').toString();
    return `"${name}":${read.replace(/"w":"[\w-]{8}"/, '"w":"<walk>"')}`;
  });
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function withoutOtherIds(text: string): string {
  const named = new Set<string>(Object.values(IDS));
  const others: string[] = [];
  return text.replace(UUID, (id) => {
    if (named.has(id)) return id;
    if (!others.includes(id)) others.push(id);
    return `<id ${others.indexOf(id)}>`;
  });
}
