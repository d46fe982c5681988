export { type TemplatesConfig, templateSection } from './configuration.ts';
export { createTemplatesModule, type TemplatesModule } from './module.ts';
