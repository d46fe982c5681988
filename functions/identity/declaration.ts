import { reserveModule } from '../../shared/module/declaration.ts';
import { idpSection } from './configuration.ts';

/** What is settled before the module has code. */
export const identity = reserveModule({
  name: 'identity',
  deliveredAs: 'svc-cloud-idp',
  configuration: idpSection,
  keyPrefixes: [
    'identity_source',
    'identity_provider',
    'identity_source_sync_history',
    'identity_source_sync_record',
    'identity_source_event_record',
    'USER*',
    'DEPT*',
    'SESSION',
  ],
});
