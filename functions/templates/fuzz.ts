import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';

/** Operations on the prepared template; the one that deletes uses templates that the fuzzer creates. */
const TEMPLATE_OPERATIONS = [
  'getTemplate',
  'updateTemplate',
  'getMergeFields',
  'replaceMergeFields',
  'inspectMergeFields',
  'listTemplateFileVersions',
  'downloadTemplateFile',
  'uploadTemplateFile',
  'copyTemplate',
  'generateDocument',
  'previewDocument',
  'listGenerations',
  'startBatch',
];
const BUILTIN_OPERATIONS = ['getBuiltinMergeField', 'updateBuiltinMergeField'];

/** Fuzzer hints for templates: a template and a constant to find. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['getTemplate', 'deleteTemplate'],
      check: 'use_after_free',
      reason: 'The record of a deleted template remains, and deleting it again does nothing.',
    },
    {
      operationIds: ['replaceMergeFields'],
      check: 'positive_data_acceptance',
      reason: 'Names, sources and expressions of fields have rules that no schema can say.',
    },
    {
      operationIds: ['generateDocument', 'previewDocument', 'startBatch'],
      check: 'positive_data_acceptance',
      reason:
        'Which values and formats there are follows from the template; no schema can say how deep data is.',
    },
    {
      operationIds: ['uploadTemplateFile'],
      check: 'positive_data_acceptance',
      reason: 'No schema can say what a Word document is.',
    },
    {
      operationIds: [
        'createBuiltinMergeField',
        'updateBuiltinMergeField',
        'resolveBuiltinMergeFields',
      ],
      check: 'positive_data_acceptance',
      reason:
        'Codes of the platform are taken in any case; locales and zones are those of Unicode.',
    },
  ],
  targetedOperations: [...TEMPLATE_OPERATIONS, ...BUILTIN_OPERATIONS, 'getTemplateByCode'],
  async prepare(post, suffix) {
    const code = `fuzz-${suffix}`;
    const body = { code, name: 'Fuzzed', type: 'TYPE_1' };
    const { id } = (await post('/api/v1/templates', body)) as { readonly id: string };
    const constant = `fuzz_${suffix.replaceAll(/\W/g, '_')}`;
    const facts = { code: constant, label: 'Fuzzed', value: 'x' };
    await post('/api/v1/builtin-merge-fields', facts);
    return [
      { parameter: 'templateId', operationIds: TEMPLATE_OPERATIONS, values: [id] },
      { parameter: 'code', operationIds: ['getTemplateByCode'], values: [code] },
      { parameter: 'code', operationIds: BUILTIN_OPERATIONS, values: [constant] },
    ];
  },
};
