import { createHash } from 'node:crypto';
import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../captured/memory-storage.ts';
import { seededRandom } from '../seeded-random.ts';
import { type ApiAnswer, aContext, connect, type TestContext } from '../world/a-context.ts';
import { loadRecords } from './load-records.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const KINDS = Array.from({ length: 10 }, (_, at) => `k${at}`);

/** Customers, a tenth as many as there are orders; a region is that of one in 50. */
const customer = {
  ...{ code: 'customer', name: 'Customer', apiPath: 'customers' },
  uiSchemaJson: {
    type: 'object',
    properties: { name: text, region: text },
  },
};

/** Orders: ten of each customer, 200 in each lot, a tenth of each kind. */
const order = {
  ...{ code: 'order', name: 'Order', apiPath: 'orders' },
  uiSchemaJson: {
    type: 'object',
    'x-indexes': [['createdBy'], ['updatedAt'], ['createdBy', 'updatedAt']],
    properties: {
      customer: { ...text, 'x-reference': { entity: 'customer', onDelete: 'none' } },
      kind: { ...text, enum: KINDS },
      status: { ...text, enum: ['open', 'paid', 'sent', 'done', 'void'] },
      lot: integer,
      amount: integer,
    },
  },
};

/** The same invoice with a number and without, and a contract. */
const invoice = { type: 'object', properties: { customer: text, amount: integer } };
const numbered = { ...text, 'x-number': 'INV-{yyyy}-{0000}' };
const others = [
  { code: 'plain', name: 'Plain invoice', uiSchemaJson: invoice },
  {
    ...{ code: 'invoice', name: 'Invoice' },
    uiSchemaJson: { ...invoice, properties: { ...invoice.properties, no: numbered } },
  },
  {
    ...{ code: 'contract', name: 'Contract' },
    uiSchemaJson: {
      type: 'object',
      properties: {
        name: text,
        file: { ...text, format: 'file', 'x-file': { types: ['text/plain'], maxBytes: 100 } },
      },
    },
  },
];

/** Orders of one lot. */
export const LOT = 200;

/** Entities that refer to each other, behind their API. */
export interface Shop {
  readonly context: TestContext;
  readonly size: number;
  readonly customers: readonly string[];
  readonly orders: readonly string[];
  /** Calls `/api/v1/dynamic/...`; an answer that is refused fails the benchmark. */
  call(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Announces and uploads a file of a contract. @returns its id */
  announce(): Promise<{ readonly id: string; readonly send: () => Promise<unknown> }>;
  /** Runs the jobs that calls have begun, to their end. */
  runJobs(): Promise<void>;
}

/** Makes a shop with so many orders, drawn from a seed. */
export async function aShop(size: number, { seed = 1 } = {}): Promise<Shop> {
  const svc = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
  const context = aContext({ module: 'entities', svc, host });
  const module = connect(createEntitiesModule, context);
  const send = async (request: Parameters<typeof module.call>[0]): Promise<ApiAnswer> => {
    const answer = await module.call(request);
    if (answer.status >= 400) throw new Error(`${request.path}: ${answer.text}`);
    return answer;
  };
  const call: Shop['call'] = (method, path, body) =>
    send({ method, path: `/api/v1/dynamic/${path}`, body });
  for (const body of [customer, order, ...others])
    await send({ method: 'POST', path: '/api/v1/entity-definitions', body });
  const next = seededRandom(seed);
  const whole = (below: number): number => Math.floor(next() * below);
  const many = Math.max(1, size / 10);
  const customers = await loadRecords(
    context,
    'customer',
    numbers(many).map((at) => ({ name: `C${whole(1e9)} ${at}`, region: `r${at % 50}` })),
  );
  const orders = await loadRecords(
    context,
    'order',
    numbers(size).map((at) => {
      context.clock.advance(10);
      return {
        ...{ customer: customers[whole(many)] ?? '', kind: KINDS[whole(KINDS.length)] ?? '' },
        status: order.uiSchemaJson.properties.status.enum[whole(5)] ?? '',
        ...{ lot: at % (size / LOT), amount: whole(1_000_000) },
      };
    }),
  );
  // What every first call reads is no cost of the one that is measured.
  for (const { code } of [customer, order, ...others]) await call('GET', `${code}?size=1`);
  let delivered = 0;
  context.db.meter.reset();
  return {
    ...{ context, size, customers, orders, call },
    async announce() {
      const content = String(Math.random());
      const { body } = await call('POST', 'contract/files/uploads', {
        ...{ field: 'file', fileName: 'a.txt', contentType: 'text/plain' },
        ...{ sizeBytes: content.length, sha256: sha256(content) },
      });
      const { method, url, headers } = body.upload as Record<'method' | 'url', string> & {
        readonly headers: Readonly<Record<string, string>>;
      };
      const path = new URL(url).pathname + new URL(url).search;
      const upload = { method, path, headers, caller: null, body: Buffer.from(content) };
      return { id: String(body.id), send: () => send(upload) };
    },
    async runJobs() {
      context.clock.advance(60_000);
      for (; delivered < context.bus.events.length; delivered += 1) {
        const event = context.bus.events[delivered];
        if (event?.type === 'dynamic-entity-job') await module.deliver(event.envelope);
      }
    },
  };
}

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

const numbers = (below: number) => Iterator.from(Array(below).keys());
