import { describe, expect, it } from 'vitest';
import { entitiesRoutes } from '../../../functions/entities/api/routes.ts';
import { messagingRoutes } from '../../../functions/messaging/routes.ts';
import { settingsRoutes } from '../../../functions/settings/routes.ts';
import { loadConfig } from '../../helpers/world/svc-config.ts';

const config = loadConfig({
  'mq.app-code': 'shop',
  'mq.relay.enabled': true,
  'mq.broker-restful-enabled': true,
});
// Tables are only made, never called.
const services = {} as never;
const routes = [
  ...settingsRoutes(services, config),
  ...messagingRoutes(services, config),
  ...entitiesRoutes(services, config),
];

describe('a route', () => {
  it.each(routes.map((route) => [route.operationId, route] as const))(
    'builds its schemas when a request needs them: %s',
    (_name, route) => {
      const parts = Object.entries(Object.getOwnPropertyDescriptors(route)).filter(([part]) =>
        ['params', 'query', 'body', 'form', 'cookies'].includes(part),
      );
      const ofResponses = Object.values(route.responses).flatMap(({ schema }) => schema ?? []);

      expect(parts.filter(([, { get }]) => !get).map(([part]) => part)).toEqual([]);
      expect(ofResponses.filter((schema) => typeof schema !== 'function')).toEqual([]);
    },
  );
});
