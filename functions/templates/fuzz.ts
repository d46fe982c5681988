import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';

/** Operations on the prepared template; the one that deletes uses templates that the fuzzer creates. */
const TEMPLATE_OPERATIONS = ['getTemplate', 'updateTemplate'];

/** Fuzzer hints for templates: a template to find. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['getTemplate', 'deleteTemplate'],
      check: 'use_after_free',
      reason: 'The record of a deleted template remains, and deleting it again does nothing.',
    },
  ],
  targetedOperations: [...TEMPLATE_OPERATIONS, 'getTemplateByCode'],
  async prepare(post, suffix) {
    const code = `fuzz-${suffix}`;
    const body = { code, name: 'Fuzzed', type: 'TYPE_1' };
    const { id } = (await post('/api/v1/templates', body)) as { readonly id: string };
    return [
      { parameter: 'templateId', operationIds: TEMPLATE_OPERATIONS, values: [id] },
      { parameter: 'code', operationIds: ['getTemplateByCode'], values: [code] },
    ];
  },
};
