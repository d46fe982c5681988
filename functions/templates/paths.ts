/** Path of the templates. */
export const TEMPLATES_PATH = '/api/v1/templates';
/** Path of one template. */
export const TEMPLATE_PATH = `${TEMPLATES_PATH}/{templateId}`;
/** Path of values that every template can show. */
export const BUILTINS_PATH = '/api/v1/builtin-merge-fields';
/** Path of links to files of a host storage that makes none of its own. */
export const LINKS_PATH = '/api/v1/template-files';
/** Path of the generations of a template. */
export const GENERATIONS_PATH = `${TEMPLATE_PATH}/generations`;
/** Path of documents that are generated for many records. */
export const BATCHES_PATH = `${TEMPLATE_PATH}/batches`;
/** Path of one batch. */
export const BATCH_PATH = `${BATCHES_PATH}/{batchId}`;
/** Path of one generation. */
export const GENERATION_PATH = `${GENERATIONS_PATH}/{generationId}`;
