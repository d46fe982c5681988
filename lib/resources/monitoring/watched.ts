import type { ModuleDeclaration } from '../../../shared/module/declaration.ts';
import type { ModuleFunction } from '../../functions/module-function.ts';
import type { Api } from '../api.ts';
import type { Messaging } from '../messaging.ts';
import type { Relay } from '../relay.ts';
import type { Storage } from '../storage.ts';
import type { ServicesByModule } from './service-monitoring.ts';

/** Resources of alarms and dashboard. */
export interface Watched {
  readonly api: Api;
  readonly storage: Storage;
  readonly messaging: Messaging;
  readonly functions: ReadonlyMap<string, ModuleFunction>;
  /** State machines and schedules of the modules. */
  readonly services: ServicesByModule;
  /** Modules that are on, with the alarms that they declare. */
  readonly modules: readonly Pick<ModuleDeclaration, 'name' | 'alarms'>[];
  /** The relay, which reports the state of the outbox. */
  readonly relay?: Relay;
}
