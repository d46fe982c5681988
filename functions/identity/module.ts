import * as z from 'zod';
import type { Module, ModuleContext, Task } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { apart } from '../../shared/store/unit-of-work.ts';
import { encryptionPort } from '../settings/port.ts';
import { identityRoutes } from './api/routes.ts';
import { type IdentityConfig, idpSection } from './configuration.ts';
import { EVENT_TASK, listeners, PASS_TASK, STEPS } from './listeners.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** Message of `EVENT_TOPIC`. */
const waitingEvent = z.object({ sourceId: z.string(), eventKey: z.string() });

/** Sections of the configuration that the function reads. */
export const sections = [idpSection] as const;

/** The identity module and its services, for in-process use. */
export interface IdentityModule extends Module {
  readonly services: ServicesOnDemand;
}

/** Builds the identity module (svc-cloud-idp): sources, their runs and events, users and departments. */
export function createIdentityModule(context: ModuleContext<IdentityConfig>): IdentityModule {
  const encryption = bindPort(encryptionPort, context).use();
  const services = servicesOnDemand(context, { encryption });
  return {
    services,
    routes: identityRoutes(services, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      // Between its transactions an object is read at the source.
      handle: ({ payload }) => {
        const { sourceId, eventKey } = waitingEvent.parse(payload);
        return apart(() => services.eventWorker.apply(sourceId, eventKey));
      },
    })),
    tasks: {
      ...stepsOf(services),
      [PASS_TASK]: () => services.pass.run(),
      [EVENT_TASK]: async () => ({ events: await services.eventWorker.sweep() }),
    },
  };
}

/** Steps of runs, whose code is loaded with the first one. */
const stepsOf = ({ steps }: Pick<ServicesOnDemand, 'steps'>): Readonly<Record<string, Task>> =>
  Object.fromEntries(
    STEPS.map((name): [string, Task] => [name, async (input) => steps[name]?.(input)]),
  );
