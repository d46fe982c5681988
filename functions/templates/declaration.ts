import { defineModule } from '../../shared/module/declaration.ts';
import { followsRefreshes, items, keepsAnswers } from '../../shared/module/grants.ts';
import { templateSection } from './configuration.ts';
import { fuzzHints } from './fuzz.ts';

/** Templates of documents, and the documents that are generated from them. */
export const templates = defineModule<typeof templateSection>({
  name: 'templates',
  deliveredAs: 'svc-cloud-template',
  configuration: templateSection,
  enabled: ({ template }) => template.enabled,
  paths: () => ['/api/v1/templates'],
  routes: { file: 'api/routes', factory: 'templatesRoutes' },
  tags: [{ name: 'Templates', description: 'Word templates (DOCX) with merge fields.' }],
  keyPrefixes: ['TPL*'],
  uses: [
    {
      port: 'settings.values',
      names: [],
      reason: 'Listeners of the host read settings; their grants come with them.',
    },
  ],
  grants: () => [
    items(['TPL#*'], ['BatchGetItem', 'GetItem', 'PutItem'], 'Templates by their ids.'),
    items(['TPLCODE#*'], ['GetItem', 'PutItem', 'Query'], 'Codes of templates.'),
    followsRefreshes(),
    ...keepsAnswers('templates'),
  ],
  fuzz: fuzzHints,
});
