import { defineModule } from '../../shared/module/declaration.ts';
import { followsRefreshes } from '../../shared/module/grants.ts';
import { workflowSection } from './configuration.ts';

/** Cases by CMMN 1.1: definitions, cases, tasks. */
export const workflow = defineModule<typeof workflowSection>({
  name: 'workflow',
  deliveredAs: 'svc-cloud-workflow',
  configuration: workflowSection,
  enabled: ({ workflow }) => workflow.enabled,
  paths: () => ['/api/v1/workflow', '/api/v1/tasks'],
  privatePaths: () => ['/api/v1/workflow'],
  routes: { file: 'api/routes', factory: 'workflowRoutes' },
  tags: [
    {
      name: 'Workflow definitions',
      description: 'Checks, deploys, publishes and shows case models (CMMN 1.1).',
    },
  ],
  keyPrefixes: ['CASE', 'TASK', 'TASKIDX', 'WF', 'PROC', 'TIMERDUE'],
  uses: [
    {
      port: 'settings.values',
      names: [],
      reason: 'Listeners of the host read settings; their grants come with them.',
    },
  ],
  grants: () => [followsRefreshes()],
});
