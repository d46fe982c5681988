import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { seededRandom } from '../seeded-random.ts';
import { type ApiAnswer, aContext, connect, type TestContext } from '../world/a-context.ts';
import { loadRecords } from './load-records.ts';

const text = { type: 'string' };
const reference = { ...text, 'x-reference': { entity: 'customer', onDelete: 'none' } };

/** How many customers the conditions of a world are met by. */
const KEYS = [1, 20, 200, 1_000] as const;

const ORDERS = 10_000;
const CUSTOMERS = 1_000;

/** The field by which orders refer to customers of whom so many meet a condition: `c20.in20=yes`. */
export const conditionOf = (keys: number): string => `c${keys}.in${keys}=yes`;

const fieldsOf = (prefix: string, field: object) =>
  Object.fromEntries(KEYS.map((keys) => [`${prefix}${keys}`, field]));

const customer = {
  ...{ code: 'customer', name: 'Customer', apiPath: 'customers' },
  uiSchemaJson: { type: 'object', properties: { name: text, ...fieldsOf('in', text) } },
};
const order = {
  ...{ code: 'order', name: 'Order', apiPath: 'orders' },
  uiSchemaJson: {
    type: 'object',
    properties: {
      number: { type: 'integer' },
      amount: { type: 'integer' },
      half: { type: 'string' },
      ...fieldsOf('c', reference),
    },
  },
};

/** Orders of customers, behind their API. */
export interface ManyKeys {
  readonly context: TestContext;
  readonly ids: readonly string[];
  /** Environments that answer, each with what it has found out by itself. */
  get(path: string, environment?: number): Promise<ApiAnswer>;
  /** Whether an order, by its number, refers to one of the customers that meet the condition. */
  meets(number: number, keys: number): boolean;
  /** What the order by its number is sorted by. */
  amountOf(number: number): number;
}

/** Makes 10 000 orders of 1 000 customers; one order in `part` refers to one of those that meet the condition. */
export async function aManyKeysWorld(
  part: number,
  { orders = ORDERS, customers: many = CUSTOMERS, options = {}, seed = 1 } = {},
): Promise<ManyKeys> {
  const host = { permissionEvaluator: claimsPermissionEvaluator };
  const context = aContext({ module: 'entities', host });
  const environments = [0, 1].map(() => connect(createEntitiesModule, context));
  const send = async (environment: number, method: string, path: string, body?: unknown) => {
    const answer = await environments[environment]?.call({ method, path, body });
    if (!answer || answer.status >= 400) throw new Error(`${path}: ${answer?.text}`);
    return answer;
  };
  for (const body of [customer, { ...order, options }])
    await send(0, 'POST', '/api/v1/entity-definitions', body);
  const next = seededRandom(seed);
  const whole = (below: number): number => Math.floor(next() * below);
  // Those that meet a condition are spread over all ids.
  const isNamed = (at: number, keys: number): boolean => (at * 7 + 17) % many < keys;
  const customers = await loadRecords(
    context,
    'customer',
    Array.from({ length: many }, (_, at) => ({
      name: `C${at}`,
      ...Object.fromEntries(KEYS.map((keys) => [`in${keys}`, isNamed(at, keys) ? 'yes' : 'no'])),
    })),
  );
  const groups = new Map(
    KEYS.map((keys) => {
      const named = customers.filter((_, at) => isNamed(at, keys));
      const others = customers.filter((_, at) => !isNamed(at, keys));
      return [keys as number, { named, others: others.length > 0 ? others : named }];
    }),
  );
  const isMet = Array.from({ length: orders }, () => whole(part) === 0);
  const amounts = Array.from({ length: orders }, () => whole(1_000_000));
  const ids = await loadRecords(
    context,
    'order',
    Array.from({ length: orders }, (_, number) => {
      const references = KEYS.map((keys) => {
        const { named = [], others = [] } = groups.get(keys) ?? {};
        const from = isMet[number] ? named : others;
        return [`c${keys}`, from[whole(from.length)] ?? ''];
      });
      const half = number % 2 === 0 ? 'even' : 'odd';
      return { number, amount: amounts[number] ?? 0, half, ...Object.fromEntries(references) };
    }),
  );
  for (const at of environments.keys())
    for (const code of ['customer', 'order'])
      await send(at, 'GET', `/api/v1/dynamic/${code}?size=1`);
  context.db.meter.reset();
  return {
    ...{ context, ids },
    meets: (number, keys) => isMet[number] === true || keys >= many,
    amountOf: (number) => amounts[number] ?? 0,
    get: (path, environment = 0) => send(environment, 'GET', `/api/v1/dynamic/${path}`),
  };
}
