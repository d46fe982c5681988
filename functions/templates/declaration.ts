import type { PlatformConfig } from '../../shared/config/index.ts';
import { defineModule } from '../../shared/module/declaration.ts';
import {
  claimsMessages,
  files,
  followsRefreshes,
  type Grant,
  indexQueries,
  items,
  keepsAnswers,
  objects,
  publishesMessages,
} from '../../shared/module/grants.ts';
import type { PortUse } from '../../shared/module/ports.ts';
import {
  LARGE_BODIES,
  ORDERED_HEADS,
  rareJobMessages,
} from '../../shared/module/untested-grants.ts';
import { type TemplatesConfig, templateSection } from './configuration.ts';
import { JOB_TOPIC } from './events.ts';
import { fuzzHints } from './fuzz.ts';
import { JOB_GROUP, listeners, schedules } from './listeners.ts';
import { BATCHES_PATH, BUILTINS_PATH, LINKS_PATH, TEMPLATE_PATH, TEMPLATES_PATH } from './paths.ts';
import { pdfEngines } from './pdf/declaration.ts';

/** Ports of other modules that documents need, here and where the module's own ports are bound. */
const NEEDS: readonly PortUse[] = [
  {
    port: 'entities.records',
    reason: 'Documents show values of the records that their caller sees.',
  },
  {
    port: 'settings.values',
    names: ['template.*'],
    reason: 'Merge fields show settings.',
  },
];

/** Jobs that print documents: one of them is on, or none. */
const ENGINES = pdfEngines.map(({ name }) => name);

const announcesFiles = items(
  ['TPLNEW'],
  ['BatchWriteItem'],
  'Versions of files that are about to be stored.',
);

/** What templates and documents need, in the function of the module and where its ports are bound. */
const keepsDocuments = (config: PlatformConfig & Partial<TemplatesConfig>): Grant[] => [
  items(
    ['TPL#*'],
    ['BatchGetItem', 'GetItem', 'PutItem', 'Query'],
    'Templates with their merge fields and files.',
  ),
  items(['TPLCODE#*'], ['GetItem', 'PutItem', 'Query'], 'Codes of templates.'),
  announcesFiles,
  items(['TPLENDED'], ['PutItem'], 'Documents that are cancelled or deleted.'),
  items(
    ['TPLCONST#*'],
    ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
    'Constants of tenants that merge fields show.',
  ),
  items(['TPLLINK#*'], ['GetItem', 'PutItem'], 'Links to files in the storage of a host.'),
  ...(readable(config).length > 0
    ? [
        items(
          readable(config).map((name) => `setting#${name.replace(/\.$/, '.*')}`),
          ['GetItem'],
          'Settings that merge fields may show by configuration.',
        ),
      ]
    : []),
  items(['TPLGEN#*'], ['GetItem', 'PutItem', 'Query'], 'Generations of documents by template.'),
  indexQueries('gsi2', ['TPLGEN#@open'], 'Generations that are under way or left something.'),
  files(
    ['documents/', 'templates/'],
    'Files of templates, what is known of them, and generated documents.',
  ),
  ...publishesMessages(config),
];

/** What an editor's saves need: the template or the generation of a file, and its next version. */
const keepsEdits: readonly Grant[] = [
  items(['TPL#*', 'TPLGEN#*'], ['GetItem', 'PutItem'], 'Edited templates and generations.'),
  items(['TPLCODE#*'], ['PutItem'], 'Lists of templates show when one was edited.'),
  announcesFiles,
  items(
    ['TPLENDED'],
    ['DeleteItem', 'PutItem', 'Query'],
    'Documents that are cancelled or deleted.',
  ),
  objects(['documents/generations/'], ['GetObject', 'PutObject'], 'Edited documents.'),
  files(['documents/templates/'], 'Versions of edited templates; one that is not kept is removed.'),
  files(['templates/inspections/'], 'What is known of versions of edited templates.'),
  objects(['templates/locks/'], ['GetObject'], 'Values that were locked in a document.'),
];

const readable = ({ template }: Partial<TemplatesConfig>): readonly string[] =>
  template?.readableSettings ?? [];

/** Templates of documents, and the documents that are generated from them. */
export const templates = defineModule<typeof templateSection>({
  name: 'templates',
  deliveredAs: 'svc-cloud-template',
  configuration: templateSection,
  enabled: ({ template }) => template.enabled,
  paths: () => [TEMPLATES_PATH, BUILTINS_PATH, LINKS_PATH],
  // A document is read, merged and printed; a batch makes up to 500 of them.
  routeLimits: () => [
    { route: `POST ${TEMPLATE_PATH}/generate`, rate: 10, burst: 20 },
    { route: `POST ${TEMPLATE_PATH}/preview`, rate: 10, burst: 20 },
    { route: `POST ${BATCHES_PATH}`, rate: 2, burst: 5 },
  ],
  routes: { file: 'api/routes', factory: 'templatesRoutes' },
  tags: [
    { name: 'Templates', description: 'Word templates (DOCX) with merge fields.' },
    {
      name: 'Generated documents',
      description:
        'Documents that are generated from templates, their history and what becomes of them.',
    },
    {
      name: 'Builtin merge fields',
      description:
        'Values that every template can show: those of the platform, and constants of the tenant.',
    },
  ],
  listeners,
  // A job takes too long for the call that starts it.
  distributedTopics: [JOB_TOPIC],
  schedules,
  jobs: pdfEngines,
  calls: ENGINES,
  // Previews are looked at once; requests of jobs are needed until those have ended, and the file of a batch with it.
  expiringFiles: { 'documents/previews/': 1, 'documents/batches/': 7, 'templates/requests/': 14 },
  keyPrefixes: ['TPL*'],
  // How long links work, and whether there is an editor; never its secret.
  readsProperties: ['docs.enabled', 'docs.presigned-url-expiration'],
  uses: NEEDS,
  offers: [
    {
      name: 'templates.templates',
      access: 'transactional',
      uses: NEEDS,
      grants: keepsDocuments,
    },
    {
      name: 'templates.documents',
      access: 'transactional',
      uses: NEEDS,
      grants: keepsDocuments,
      calls: ENGINES,
    },
    {
      name: 'templates.edited-documents',
      access: 'transactional',
      grants: () => keepsEdits,
    },
    {
      name: 'templates.field-readers',
      access: 'transactional',
      grants: () => [items(['TPLREADER#*'], ['PutItem'], 'Keys whose tokens read merge fields.')],
    },
  ],
  grants: (config) => [
    ...keepsDocuments(config),
    items(['TPLREADER#*'], ['GetItem'], "Keys of tokens that an editor's plugin reads fields by."),
    items(['TPLNEW'], ['Query'], 'The sweep deletes files of versions that were not stored.'),
    items(
      ['TPLJOB#*'],
      ['BatchGetItem', 'GetItem', 'PutItem', 'Query'],
      'Jobs that generate documents after their calls.',
    ),
    items(['TPLJOB'], ['DeleteItem', 'PutItem', 'Query'], 'Jobs that have not ended.'),
    followsRefreshes(),
    ...claimsMessages(config, JOB_GROUP),
    ...keepsAnswers('templates'),
  ],
  untestedGrants: [
    LARGE_BODIES,
    ORDERED_HEADS,
    ...rareJobMessages(JOB_GROUP),
    {
      of: 'messaging',
      actions: ['lambda:InvokeFunction'],
      on: ['function/templates'],
      reason: 'A job that an operator wakes: dispatch calls the function whose listener it is.',
    },
    {
      actions: ['dynamodb:BatchGetItem'],
      on: ['table'],
      keys: ['TPLJOB#*'],
      mayHappen: true,
      reason: 'A sweep that meets a job under way.',
    },
    {
      actions: ['dynamodb:BatchGetItem'],
      on: ['table'],
      keys: ['DYN_*'],
      reason: 'Comes with the port of records: lists, and records with very many fields.',
    },
    {
      actions: ['s3:GetObject'],
      on: ['bucket/entities/values/*'],
      reason: 'The large values of a record.',
    },
    {
      actions: ['dynamodb:PutItem'],
      on: ['table'],
      keys: ['TPLLINK#*'],
      reason: 'Only a host with a storage of its own that makes no links.',
    },
    {
      actions: ['s3:AbortMultipartUpload'],
      on: ['bucket/documents/*', 'bucket/templates/*'],
      reason: 'Comes with the rights on files; documents are written whole.',
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
