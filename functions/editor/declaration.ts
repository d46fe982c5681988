import { reserveModule } from '../../shared/module/declaration.ts';
import { docsSection } from './configuration.ts';

/** What is settled before the module has code. */
export const editor = reserveModule({
  name: 'editor',
  deliveredAs: 'svc-cloud-docs-editor',
  configuration: docsSection,
});
