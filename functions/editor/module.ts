import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { dynamicSection, type EntitiesConfig } from '../entities/port.ts';
import {
  editedDocumentsPort,
  fieldReadersPort,
  type TemplatesConfig,
  templateSection,
} from '../templates/port.ts';
import { docsRoutes } from './api/routes.ts';
import { docsSection, type EditorConfig } from './configuration.ts';
import { FORGET_TASK, RECOVERY_TASK } from './listeners.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** Sections of the configuration that the function reads. */
export const sections = [docsSection, templateSection, dynamicSection] as const;

/** The document editor and its services, for in-process use. */
export interface EditorModule extends Module {
  readonly services: ServicesOnDemand;
}

/** Builds the document editor (svc-cloud-docs-editor): configuration, files, saves. */
export function createEditorModule(
  context: ModuleContext<EditorConfig & TemplatesConfig & EntitiesConfig>,
): EditorModule {
  const { config } = context;
  const services = servicesOnDemand(context, {
    documents: bindPort(editedDocumentsPort, context),
    readers: bindPort(fieldReadersPort, context),
    locale: config.template.mergeFieldLocale,
  });
  return {
    services,
    routes: docsRoutes(services, config),
    tasks: {
      [FORGET_TASK]: () => services.endedHistories.forget(),
      [RECOVERY_TASK]: async () =>
        config.docs.recoveryEnabled ? services.forgotten.recover() : {},
    },
  };
}
