import { reserveModule } from '../../shared/module/declaration.ts';
import { templateSection } from './configuration.ts';

/** What is settled before the module has code. */
export const templates = reserveModule({
  name: 'templates',
  deliveredAs: 'svc-cloud-template',
  configuration: templateSection,
  keyPrefixes: ['template'],
});
