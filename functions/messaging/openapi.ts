import type { SvcConfig } from '../../shared/config/index.ts';
import type { Route } from '../../shared/http/route.ts';
import { type ApiModule, undeployed } from '../../shared/openapi/api-module.ts';
import { type MessagingRouteServices, messagingRoutes } from './routes.ts';

const described = (
  config: SvcConfig,
  isOn: { readonly relay: boolean; readonly dispatch: boolean },
): readonly Route[] => {
  const relay = { ...config.mq.relay, enabled: isOn.relay };
  const mq = { ...config.mq, relay, brokerRestfulEnabled: isOn.dispatch };
  return messagingRoutes(undeployed<MessagingRouteServices>(), { ...config, mq });
};

/** How the API description shows the operations of the messaging function. */
export const apiModules: readonly ApiModule[] = [
  {
    module: 'messaging',
    tag: 'Dead letters',
    description: 'Messages that could not be sent or processed: see them, send again, give up.',
    when: ['mq.relay.enabled'],
    routes: (config) => described(config, { relay: true, dispatch: false }),
  },
  {
    module: 'messaging',
    tag: 'Dispatch',
    description: 'Pushes a message into the listeners of a topic.',
    when: ['mq.broker-restful-enabled'],
    routes: (config) => described(config, { relay: false, dispatch: true }),
  },
];
