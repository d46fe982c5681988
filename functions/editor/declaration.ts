import { defineModule } from '../../shared/module/declaration.ts';
import {
  files,
  followsRefreshes,
  type Grant,
  indexQueries,
  items,
  objects,
  publishesMessages,
  secrets,
} from '../../shared/module/grants.ts';
import { fuzzHints, UNTESTED_GRANTS } from './checks.ts';
import { docsSection, type EditorConfig } from './configuration.ts';
import { CHANGES } from './domain/file-id.ts';
import { SECRET_REFERENCE } from './domain/known-secrets.ts';
import { schedules } from './listeners.ts';
import { OWN_PATHS, PRIVATE_PATHS } from './paths.ts';
import { VERSION_DAYS } from './store/version-days.ts';

/** Documents in the editor of a document server. */
export const editor = defineModule<typeof docsSection>({
  name: 'editor',
  deliveredAs: 'svc-cloud-docs-editor',
  configuration: docsSection,
  enabled: ({ docs }) => docs.enabled,
  paths: ({ docs }) => [...OWN_PATHS, docs.callbackPath],
  privatePaths: () => PRIVATE_PATHS,
  routes: { file: 'api/routes', factory: 'docsRoutes' },
  tags: [
    {
      name: 'Document editor',
      description: 'Opens documents in the editor of a document server, and stores what it saves.',
    },
  ],
  // The editor in a browser fetches its plugins from there.
  corsOrigins: ({ docs }) => originsOf(docs.documentServerUrl),
  alarms: [
    {
      metric: 'DocsSaveFailed',
      above: 0,
      description: 'A document could not be saved: what was edited may be with the editing server.',
    },
  ],
  schedules,
  keyPrefixes: ['DOC*'],
  expiringFiles: { [CHANGES]: VERSION_DAYS },
  uses: [
    {
      port: 'templates.edited-documents',
      reason: 'Saves of templates and generated documents change them too.',
    },
    { port: 'templates.field-readers', reason: 'The plugin of the editor lists merge fields.' },
  ],
  grants: (config) => [
    items(
      ['DOCKEY#*'],
      ['BatchGetItem', 'GetItem', 'PutItem'],
      'Keys of files that are edited, and saves that have begun.',
    ),
    items(
      ['DOCSESSION#*'],
      ['BatchGetItem', 'GetItem', 'PutItem', 'Query'],
      'Sessions and their saves.',
    ),
    items(['DOCSECRET#*'], ['GetItem', 'PutItem'], 'Which secrets were used, and until when.'),
    items(['DOCRECOVERY'], ['GetItem', 'PutItem'], 'How far recovery has come.'),
    indexQueries('gsi1', ['DOCSESSION@*'], 'Sessions of a document.'),
    items(
      ['DOCVERSION#*'],
      ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
      'Versions of documents.',
    ),
    files(['documents/'], 'Documents that are opened and saved.'),
    objects(['documents/'], ['GetObjectVersion'], 'Old versions of documents, for their history.'),
    ...readsSecrets(config),
    ...publishesMessages(config),
    followsRefreshes(),
  ],
  untestedGrants: UNTESTED_GRANTS,
  fuzz: fuzzHints,
});

/** Only what the configuration names. */
function readsSecrets({ docs }: EditorConfig): Grant[] {
  const names = [docs.secret, ...docs.previousSecret, docs.ca].flatMap((value) =>
    value?.startsWith(SECRET_REFERENCE)
      ? [value.slice(SECRET_REFERENCE.length).split('#')[0] ?? '']
      : [],
  );
  if (names.length === 0) return [];
  return [secrets([...new Set(names)], 'The secret shared with the editing server.')];
}

const originsOf = (url: string | undefined): string[] => (url ? [new URL(url).origin] : []);
