import { type ApiModule, undeployed } from '../../shared/openapi/api-module.ts';
import { type SettingsRouteServices, settingsRoutes } from './routes.ts';

const SETTINGS_PATH = '/api/v1/setting';

const all: ApiModule['routes'] = (config) =>
  settingsRoutes(undeployed<SettingsRouteServices>(), config);

/** How the API description shows the operations of the settings function. */
export const apiModules: readonly ApiModule[] = [
  {
    module: 'settings',
    tag: 'Platform',
    description: 'Whether the platform is up, and what it offers.',
    routes: (config) => all(config).filter(({ path }) => !path.startsWith(SETTINGS_PATH)),
  },
  {
    module: 'settings',
    tag: 'Settings',
    description: 'Values by name, with versions, encryption and refresh without a restart.',
    routes: (config) => all(config).filter(({ path }) => path.startsWith(SETTINGS_PATH)),
  },
];
