/** Path of the templates. */
export const TEMPLATES_PATH = '/api/v1/templates';
/** Path of one template. */
export const TEMPLATE_PATH = `${TEMPLATES_PATH}/{templateId}`;
