import { outboxKeys, toRow } from '../../../shared/messaging/outbox/outbox-row.ts';
import type { HostPlatform } from './host-platform.ts';

/**
 * A host whose first listener starts a chain: publish, asyncPublish, a large body, an ordered topic, and a message
 * that fails until there is an item `HOST#connection`. `start.strict` starts three messages of one key, of which the first
 * fails until there is an item `HOST#strict`; what is processed of them is noted in its order. `order.placed` gives the workflow
 * module the command in its payload; its interceptor rejects the outcome `refuse`.
 */
export const CHAIN = `
import { claimsPermissionEvaluator, claimsTaskAuthorization, defineHost, messageListener } from '../shared/host/index.ts';

const connection = { pk: 'HOST#connection', sk: 'connection' };
const isThere = { expression: 'attribute_exists(pk)' };

const seen = (topic, more = {}) =>
  messageListener({ topic, group: topic.replace('.', '-'), ...more }, async ({ key, payload, sequence, topic }, { uow, traceId }) => {
    if (payload.fails) uow.check(connection, { condition: isThere, otherwise: () => new Error('no connection') });
    uow.put({ pk: \`HOST#\${topic}#\${key}#\${sequence ?? 0}\`, sk: 'seen', type: 'seen', topic, key, traceId, bytes: JSON.stringify(payload).length });
  });

export default defineHost({
  permissionEvaluator: claimsPermissionEvaluator,
  workflowTaskAuthorizationService: claimsTaskAuthorization,
  taskCompletionInterceptors: [
    {
      beforeComplete({ task, principal }, { outcome }) {
        if (outcome === 'refuse') throw new Error(\`\${principal.id} may not refuse \${task.taskDefinitionKey}\`);
      },
    },
  ],
  listeners: [
    messageListener({ topic: 'order.placed', group: 'orders', transactional: true }, async ({ payload }, { events }) => {
      await events.publish('workflow.command', null, payload);
    }),
    messageListener({ topic: 'start', group: 'start' }, async (_, { events }) => {
      await events.publish('chain.sync', 'A', {});
      await events.asyncPublish('chain.async', {});
      await events.publish('chain.large', 'A', { text: 'x'.repeat(300000) });
      for (let i = 0; i < 3; i += 1) await events.publish('chain.ordered', 'A', { i });
      await events.publish('chain.poison', 'A', { fails: true });
    }),
    seen('chain.sync'), seen('chain.async'), seen('chain.large'), seen('chain.ordered', { ordered: true }), seen('chain.poison'),
    seen('dynamic-entity-definition'),
    messageListener({ topic: 'start.strict', group: 'start-strict' }, async (_, { events }) => {
      for (let i = 0; i < 3; i += 1) await events.publish('chain.strict', 'S', { i });
    }),
    messageListener({ topic: 'chain.strict', group: 'chain-strict', ordered: true, onDead: 'block' }, async ({ payload: { i } }, { uow }) => {
      if (i === 0) uow.check({ pk: 'HOST#strict', sk: 'connection' }, { condition: isThere, otherwise: () => new Error('no connection') });
      uow.update(
        { pk: 'HOST#strict', sk: 'order' },
        {
          expression: 'SET #type = :type, arrived = list_append(if_not_exists(arrived, :none), :i)',
          names: { '#type': 'type' },
          values: { ':type': 'strict', ':none': [], ':i': [i] },
        },
      );
    }),
  ],
});
`;

/** Starts the chain. */
export const startChain = ({ api }: HostPlatform, headers: Readonly<Record<string, string>> = {}) =>
  api.post('/broker/dispatch', { query: { topic: 'start' }, body: { payload: {} }, headers });

/** Topics of items, in alphabetical order. */
export const topicsOf = (items: readonly Readonly<Record<string, unknown>>[]): string[] =>
  items.map(({ topic }) => String(topic)).sort();

/** Saves the definition of an entity, which `dynamic-entity-definition` tells of. */
export const defineEntity = (
  { api }: HostPlatform,
  headers: Readonly<Record<string, string>> = {},
) =>
  api.post('/api/v1/entity-definitions', {
    body: {
      code: 'customer',
      name: 'Customer',
      apiPath: 'customers',
      uiSchemaJson: { type: 'object', properties: { name: { type: 'string' } } },
    },
    headers,
  });

/** A due row of `chain.sync`, as a publisher leaves it that died after its commit. */
export function abandonedRow({
  id,
  traceId,
  table = 'message',
  kind = 'sync',
}: {
  readonly id: string;
  readonly traceId: string;
  readonly table?: string;
  readonly kind?: 'sync' | 'async';
}): object {
  const now = Date.now();
  return toRow(
    {
      ...{ id, messageId: id, topic: 'chain.sync', key: id, kind, dest: 'eventbridge', traceId },
      ...{ payload: '{}', size: 2, headers: {}, appCode: 'svc-cloud' },
      ...{ createdAtMs: now, dueMs: now },
    },
    outboxKeys(table, 8),
  );
}
