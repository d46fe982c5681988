import { defineModule } from '../../shared/module/declaration.ts';
import { files, followsRefreshes, items, keepsAnswers } from '../../shared/module/grants.ts';
import { templateSection } from './configuration.ts';
import { fuzzHints } from './fuzz.ts';

/** Templates of documents, and the documents that are generated from them. */
export const templates = defineModule<typeof templateSection>({
  name: 'templates',
  deliveredAs: 'svc-cloud-template',
  configuration: templateSection,
  enabled: ({ template }) => template.enabled,
  paths: () => ['/api/v1/templates', '/api/v1/builtin-merge-fields', '/api/v1/template-files'],
  routes: { file: 'api/routes', factory: 'templatesRoutes' },
  tags: [
    { name: 'Templates', description: 'Word templates (DOCX) with merge fields.' },
    {
      name: 'Builtin merge fields',
      description:
        'Values that every template can show: those of the platform, and constants of the tenant.',
    },
  ],
  keyPrefixes: ['TPL*'],
  // How long links work; never the secret of the editor.
  readsProperties: ['docs.presigned-url-expiration'],
  uses: [
    {
      port: 'settings.values',
      names: ['template.*'],
      reason: 'Merge fields show settings.',
    },
  ],
  grants: ({ template }) => [
    items(
      ['TPL#*'],
      ['BatchGetItem', 'GetItem', 'PutItem', 'Query'],
      'Templates with their merge fields and files.',
    ),
    items(['TPLCODE#*'], ['GetItem', 'PutItem', 'Query'], 'Codes of templates.'),
    items(
      ['TPLCONST#*'],
      ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
      'Constants of tenants that merge fields show.',
    ),
    items(['TPLLINK#*'], ['GetItem', 'PutItem'], 'Links to files in the storage of a host.'),
    ...(template.readableSettings.length > 0
      ? [
          items(
            template.readableSettings.map((name) => `setting#${name.replace(/\.$/, '.*')}`),
            ['GetItem'],
            'Settings that merge fields may show by configuration.',
          ),
        ]
      : []),
    files(['documents/templates/', 'templates/inspections/'], 'Files of templates.'),
    followsRefreshes(),
    ...keepsAnswers('templates'),
  ],
  untestedGrants: [
    {
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      on: ['table'],
      keys: ['TPLLINK#*'],
      reason: 'Only a host with a storage of its own that makes no links.',
    },
    {
      actions: ['s3:AbortMultipartUpload', 's3:DeleteObjectVersion', 's3:ListBucketVersions'],
      on: ['bucket/documents/templates/*', 'bucket/templates/inspections/*', 'bucket'],
      reason: 'What an upload that lost a race has written is deleted.',
    },
    {
      actions: ['dynamodb:GetItem'],
      on: ['table'],
      keys: ['setting#security.aes_secret'],
      reason: 'The value of an encrypted setting.',
    },
    {
      actions: ['secretsmanager:GetSecretValue'],
      on: ['arn:aws:secretsmanager:*:*:secret:svc-cloud/*'],
      reason: 'The key of encrypted settings, where it lies in Secrets Manager.',
    },
  ],
  fuzz: fuzzHints,
});
