import type { Route } from '../../../shared/http/route.ts';
import type { IdentityConfig } from '../configuration.ts';
import { type AccountRouteServices, accountRoutes } from './accounts/account-routes.ts';
import { type EventRouteServices, eventRoutes } from './events/event-routes.ts';
import { displayedRoutes } from './login/displayed-routes.ts';
import { type LoginRouteServices, loginRoutes } from './login/login-routes.ts';
import { type SessionRouteServices, sessionRoutes } from './login/session-routes.ts';
import { type ProviderRouteServices, providerRoutes } from './providers/provider-routes.ts';
import {
  type ProviderValidationServices,
  providerValidationRoutes,
} from './providers/validation-routes.ts';
import { type RunRouteServices, runRoutes } from './runs/run-routes.ts';
import { type RemovalRouteServices, removalRoutes } from './sources/removal-routes.ts';
import { type SourceRouteServices, sourceRoutes } from './sources/source-routes.ts';
import { type TrialRouteServices, trialRoutes } from './sources/trial-routes.ts';
import { type ControlRouteServices, controlRoutes } from './sync/control-routes.ts';
import { type ExportRouteServices, exportRoutes } from './sync/export-routes.ts';
import { oneRunRoutes } from './sync/run-routes.ts';

export type IdentityRouteServices = SourceRouteServices &
  TrialRouteServices &
  RemovalRouteServices &
  ControlRouteServices &
  RunRouteServices &
  ExportRouteServices &
  AccountRouteServices &
  EventRouteServices &
  SessionRouteServices &
  ProviderRouteServices &
  ProviderValidationServices &
  LoginRouteServices;

/** Routes of the identity module. */
export const identityRoutes = (
  services: IdentityRouteServices,
  config: Pick<IdentityConfig, 'web' | 'idp'>,
): Route[] => [
  ...sourceRoutes(services, config),
  ...trialRoutes(services),
  ...removalRoutes(services),
  ...controlRoutes(services),
  ...runRoutes(services, config),
  ...oneRunRoutes(services),
  ...exportRoutes(services),
  ...eventRoutes(services, config),
  ...sessionRoutes(services),
  ...displayedRoutes(services),
  ...providerRoutes(services),
  ...providerValidationRoutes(services),
  ...loginRoutes(services),
  ...accountRoutes(services, config),
];
