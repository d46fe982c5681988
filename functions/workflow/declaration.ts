import { reserveModule } from '../../shared/module/declaration.ts';
import { workflowSection } from './configuration.ts';

/** What is settled before the module has code. */
export const workflow = reserveModule({
  name: 'workflow',
  deliveredAs: 'svc-cloud-workflow',
  configuration: workflowSection,
  keyPrefixes: ['CASE', 'TASK', 'TASKIDX', 'WF', 'PROC', 'TIMERDUE'],
});
