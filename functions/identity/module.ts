import type * as z from 'zod';
import { jobNotice } from '../../shared/jobs/job-notice.ts';
import type { Module, ModuleContext, Task } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import { apart } from '../../shared/store/unit-of-work.ts';
import { encryptionPort, reEncryptionPort, settingValuesPort } from '../settings/port.ts';
import { identityRoutes } from './api/routes.ts';
import { type IdentityConfig, idpSection } from './configuration.ts';
import { waitingEvent } from './events/topic.ts';
import { JOB_TOPIC } from './jobs/topic.ts';
import { EVENT_TASK, listeners, PASS_TASK, STEPS, SWEEP_TASK } from './listeners.ts';
import { MAIL_TOPICS, mailMessage } from './mail/mail-topics.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** Sections of the configuration that the function reads. */
export const sections = [idpSection] as const;

/** The identity module and its services, for in-process use. */
export interface IdentityModule extends Module {
  readonly services: ServicesOnDemand;
}

/** Builds the identity module (svc-cloud-idp): sources, their runs and events, users and departments. */
export function createIdentityModule(context: ModuleContext<IdentityConfig>): IdentityModule {
  const module = createSyncModule(context);
  return { ...module, routes: identityRoutes(module.services, context.config) };
}

/** Builds what carries out the steps of runs: the module without its routes. */
export function createSyncModule(context: ModuleContext<IdentityConfig>): IdentityModule {
  const encryption = bindPort(encryptionPort, context).use();
  // The function that steps of runs have takes no part in it, and sends no mail.
  const reEncryption = lazy(() => bindPort(reEncryptionPort, context));
  const settings = lazy(() => bindPort(settingValuesPort, context));
  const services = servicesOnDemand(context, {
    encryption,
    settings: () => settings().use(),
    reEncryption: () => reEncryption().use(),
  });
  return {
    services,
    routes: [],
    sessionKeys: () => services.sessionKeys.published(),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      schema: schemaOf(declaration.topic),
      // A job, and an event whose object is read at the source, take many transactions.
      handle: ({ payload }) => apart(() => hear(services, declaration.topic, payload)),
    })),
    tasks: {
      ...stepsOf(services),
      [PASS_TASK]: () => services.pass.run(),
      [SWEEP_TASK]: async () => ({
        jobs: await services.jobs.sweep(),
        reEncryption: await services.reEncryption.takeRound(),
      }),
      [EVENT_TASK]: async () => ({ events: await services.eventWorker.sweep() }),
    },
  };
}

/** What a message of a topic is: one that is not is dead at once, and refused when it is dispatched. */
function schemaOf(topic: string): z.ZodType {
  if (topic === JOB_TOPIC) return jobNotice();
  return MAIL_TOPICS.has(topic) ? mailMessage(topic) : waitingEvent();
}

/** What a message means. */
function hear(services: ServicesOnDemand, topic: string, payload: unknown): Promise<void> {
  if (topic === JOB_TOPIC) return services.jobs.run(jobNotice().parse(payload));
  if (MAIL_TOPICS.has(topic)) return services.mail.on(topic, payload);
  return applyEvent(services, payload);
}

const applyEvent = (
  { eventWorker }: Pick<ServicesOnDemand, 'eventWorker'>,
  payload: unknown,
): Promise<void> => {
  const { sourceId, eventKey } = waitingEvent().parse(payload);
  return eventWorker.apply(sourceId, eventKey);
};

/** Steps of runs, whose code is loaded with the first one. */
const stepsOf = ({ steps }: Pick<ServicesOnDemand, 'steps'>): Readonly<Record<string, Task>> =>
  Object.fromEntries(
    STEPS.map((name): [string, Task] => [name, async (input) => steps[name]?.(input)]),
  );
