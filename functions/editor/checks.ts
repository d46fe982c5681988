import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';
import type { UntestedGrant } from '../../shared/module/grants.ts';
import { LARGE_BODIES, ORDERED_HEADS } from '../../shared/module/untested-grants.ts';

/** Hints for the fuzzer: what no schema can say. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['openDocument'],
      check: 'positive_data_acceptance',
      reason: 'Which paths and names stand for documents no schema can say.',
    },
    {
      operationIds: ['saveDocument'],
      check: 'positive_data_acceptance',
      reason: 'A callback is accepted with tokens only.',
    },
    {
      operationIds: [
        ...['saveOpenDocument', 'closeOpenDocument'],
        ...['listDocumentVersions', 'deleteDocumentVersions'],
        ...['openDocumentVersion', 'restoreDocumentVersion'],
      ],
      check: 'positive_data_acceptance',
      reason:
        'Ids come percent-encoded; which characters they may have once decoded no schema can say.',
    },
    {
      operationIds: ['getPluginFile'],
      check: 'content_type_conformance',
      reason: 'Pages, scripts, styles and icons of the plugin have a type each.',
    },
  ],
  targetedOperations: [],
  prepare: async () => [],
};

/** Rights that no journey uses. */
export const UNTESTED_GRANTS: readonly UntestedGrant[] = [
  LARGE_BODIES,
  ORDERED_HEADS,
  {
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    on: ['table'],
    keys: ['DOCSECRET#*'],
    reason: 'Only where the secret lies in Secrets Manager, or was replaced.',
  },
  {
    actions: ['dynamodb:PutItem'],
    on: ['table'],
    keys: ['DOCRECOVERY'],
    mayHappen: true,
    reason: 'Only where the document server has kept what it could not deliver.',
  },
  {
    actions: ['s3:AbortMultipartUpload', 's3:DeleteObjectVersion'],
    on: ['bucket/documents/*', 'bucket/documents/templates/*', 'bucket/templates/inspections/*'],
    mayHappen: true,
    reason: 'A large document, or the version of a template, whose save fails in the middle.',
  },
  {
    actions: ['s3:ListBucketVersions'],
    on: ['bucket'],
    mayHappen: true,
    reason: 'The version of a template whose save fails in the middle is removed whole.',
  },
  {
    actions: ['dynamodb:DeleteItem'],
    on: ['table'],
    keys: ['DOCVERSION#*', 'TPLENDED'],
    mayHappen: true,
    reason:
      'The oldest version of a document that has more than are kept, and what was deleted minutes before.',
  },
  {
    actions: ['dynamodb:PutItem'],
    on: ['table'],
    keys: ['TPLENDED'],
    mayHappen: true,
    reason: 'A document that has ended, and of which something cannot be deleted now.',
  },
  {
    actions: ['s3:GetObject'],
    on: ['bucket/templates/inspections/*'],
    reason: 'Comes with the rights on files; saves only write them.',
  },
];
