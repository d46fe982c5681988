import { createEntitiesModule } from '../../../functions/entities/index.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  aContext,
  type ConnectedModule,
  type ContextOptions,
  connect,
  type TestContext,
} from '../../helpers/world/a-context.ts';

/** The entities module behind its pipeline, over a table in memory. */
export interface EntitiesApi extends ConnectedModule {
  readonly context: TestContext;
  define(definition: Readonly<Record<string, unknown>>): Promise<ApiAnswer>;
  get(path: string, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  post(path: string, body?: unknown, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  put(path: string, body: unknown, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  remove(path: string, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  /** Runs every job that was woken, until none is. @param passes time that passes before, in milliseconds; default: a minute */
  runJobs(passes?: number): Promise<void>;
}

/** Where the records of an entity are. */
export const RECORDS = '/api/v1/dynamic';
/** Where the definitions are. */
export const DEFINITIONS = '/api/v1/entity-definitions';

/** As the standalone app is deployed: jobs are woken by messages on the bus. */
const overBroker = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };

/** Connects the entities module to a test context. */
export function anEntitiesApi(options: ContextOptions = {}): EntitiesApi {
  const svc = { ...overBroker, ...options.svc };
  const context = aContext({ module: 'entities', ...options, svc });
  const module = connect(createEntitiesModule, context);
  const send =
    (method: string) =>
    (path: string, body?: unknown, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
      module.call({ method, path, body, ...more });
  let delivered = 0;
  return {
    ...module,
    context,
    define: (definition) => module.call({ method: 'POST', path: DEFINITIONS, body: definition }),
    get: (path, more) => module.call({ method: 'GET', path, ...more }),
    post: send('POST'),
    put: send('PUT'),
    remove: (path, more) => module.call({ method: 'DELETE', path, ...more }),
    async runJobs(passes = 60_000) {
      context.clock.advance(passes);
      while (delivered < context.bus.events.length) {
        const event = context.bus.events[delivered];
        delivered += 1;
        if (event?.type === 'dynamic-entity-job') await module.deliver(event.envelope);
      }
    },
  };
}

/** The content of a page. */
export const contentOf = ({ body }: ApiAnswer) =>
  body.content as readonly Readonly<Record<string, unknown>>[];

/** A definition of customers with a field of each kind that queries know. */
export function aCustomerEntity(more: Readonly<Record<string, unknown>> = {}) {
  return {
    code: 'customer',
    name: 'Khách hàng',
    apiPath: 'customers',
    uiSchemaJson: customerSchema,
    ...more,
  };
}

/** A form schema with a field of each kind that queries know. */
export const customerSchema = {
  type: 'object',
  required: ['name'],
  'x-label': 'name',
  'x-indexes': [['status', 'dueDate']],
  properties: {
    name: { type: 'string', title: 'Họ tên', maxLength: 200 },
    email: { type: 'string', format: 'email', 'x-unique': true },
    status: { type: 'string', enum: ['open', 'wip', 'closed'] },
    city: { type: 'string' },
    amount: { type: 'number' },
    priority: { type: 'integer' },
    price: { type: 'string', format: 'decimal' },
    active: { type: 'boolean' },
    dueDate: { type: 'string', format: 'date' },
    seenAt: { type: 'string', format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' } },
    notes: { type: 'string', format: 'textarea' },
    extra: { type: 'object' },
  },
} as const;

/** Stores the key of encrypted fields. */
export async function storeAesKey({ unitOfWork }: TestContext): Promise<void> {
  const now = '2026-03-01T09:30:00.000Z';
  await unitOfWork(async (unit) => {
    unit.put({
      pk: 'setting#security.aes_secret',
      sk: 'current',
      type: 'setting',
      name: 'security.aes_secret',
      value: 'a secret of more than sixteen letters',
      desc: '',
      encrypted: false,
      version: 1,
      createdAt: now,
      createdBy: 'x',
      updatedAt: now,
      updatedBy: 'x',
    });
  });
}
