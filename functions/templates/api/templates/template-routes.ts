import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, etag, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { TemplateCatalog } from '../../catalog/template-catalog.ts';
import type { TemplateCopies } from '../../catalog/template-copies.ts';
import type { TemplateCreation } from '../../catalog/template-creation.ts';
import type { Template } from '../../domain/documents/template.ts';
import { problems } from '../../errors.ts';
import { TEMPLATE_PATH, TEMPLATES_PATH } from '../../paths.ts';
import type { EditorUrl } from '../../values/editor-links.ts';
import { MAX_FIELDS_BODY_BYTES } from './field-schemas.ts';
import * as examples from './template-examples.ts';
import * as schemas from './template-schemas.ts';
import { toTemplate } from './template-views.ts';

export interface TemplateRouteServices {
  readonly catalog: OnDemand<TemplateCatalog>;
  readonly copies: OnDemand<TemplateCopies>;
  readonly creation: OnDemand<TemplateCreation>;
  readonly editorUrl: EditorUrl;
}

const access = permission('template');
const version = { etag: 'The version, quoted; send it back in If-Match.' };
const template = {
  description: 'The template',
  schema: schemas.template,
  headers: version,
  example: examples.template,
};

/** Routes of templates themselves. */
export function templateRoutes(
  { catalog, copies, creation, editorUrl }: TemplateRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  const shown = (template: Template) => toTemplate(template, editorUrl);
  return [
    route({
      operationId: 'listTemplates',
      method: 'GET',
      path: TEMPLATES_PATH,
      summary: 'Lists templates',
      access,
      query: () => schemas.listQuery(web),
      responses: {
        200: {
          description: 'A page of templates',
          schema: schemas.templatePage,
          example: examples.pageOf(examples.template),
        },
      },
      handle: async ({ query, principal }) => {
        const { content, number, size, total } = await catalog.list(query, principal);
        const page = toPage({
          content: content.map(shown),
          ...{ number, size, total: { value: total, relation: 'eq' } },
        });
        return ok({ ...page, last: (number + 1) * size >= total });
      },
    }),
    route({
      operationId: 'createTemplate',
      method: 'POST',
      path: TEMPLATES_PATH,
      summary: 'Creates a template, with declarations of its merge fields; its file comes later',
      access,
      body: schemas.createBody,
      bodyExample: examples.newTemplate,
      maxBodyBytes: MAX_FIELDS_BODY_BYTES,
      idempotent: true,
      responses: { 201: { ...template, headers: { ...version, location: 'The new template.' } } },
      problems: [
        problems.templateCodeExists,
        problems.apiSourceNotSupported,
        problems.mergeFieldsInvalid,
      ],
      handle: async ({ body, principal }) => {
        const facts = { code: body.code, ...factsOf(body) };
        const made = await creation.create(facts, body.fields ?? [], principal);
        return created(`${TEMPLATES_PATH}/${made.id}`, shown(made), etag(made.version));
      },
    }),
    route({
      operationId: 'getTemplate',
      method: 'GET',
      path: TEMPLATE_PATH,
      summary: 'Reads a template, a deleted one too',
      access,
      params: schemas.templateParams,
      responses: { 200: template },
      problems: [problems.templateNotFound],
      handle: async ({ params: { templateId }, principal }) => {
        const found = await catalog.get(templateId, principal);
        return ok(shown(found), etag(found.version));
      },
    }),
    route({
      operationId: 'getTemplateByCode',
      method: 'GET',
      path: `${TEMPLATES_PATH}/code/{code}`,
      summary: 'Reads a template by its code',
      access,
      params: schemas.codeParams,
      responses: { 200: template },
      problems: [problems.templateNotFound],
      handle: async ({ params: { code }, principal }) => {
        const found = await catalog.getByCode(code, principal);
        return ok(shown(found), etag(found.version));
      },
    }),
    route({
      operationId: 'updateTemplate',
      method: 'PUT',
      path: TEMPLATE_PATH,
      summary: 'Replaces name, type and the optional facts of a template',
      description: 'The code stays. Members that are not sent are emptied.',
      access,
      params: schemas.templateParams,
      body: schemas.updateBody,
      bodyExample: { name: 'Hợp đồng lao động 2026', type: 'TYPE_2', version: 1 },
      conditional: true,
      responses: { 200: template },
      problems: [problems.templateNotFound, problems.templateDeleted],
      handle: async ({ params: { templateId }, body, ifMatch, principal }) => {
        const seen = { ifMatch, version: body.version };
        const next = await catalog.update(templateId, factsOf(body), principal, seen);
        return ok(shown(next), etag(next.version));
      },
    }),
    route({
      operationId: 'deleteTemplate',
      method: 'DELETE',
      path: TEMPLATE_PATH,
      summary: 'Deletes a template; the record and what was generated remain',
      access,
      params: schemas.templateParams,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: [problems.templateNotFound],
      handle: async ({ params: { templateId }, ifMatch, principal }) => {
        await catalog.delete(templateId, principal, { ifMatch });
        return noContent();
      },
    }),
    route({
      operationId: 'copyTemplate',
      method: 'POST',
      path: `${TEMPLATE_PATH}:copy`,
      summary: 'Makes a template like another, with its merge fields and newest file',
      access: permission('template', 'add'),
      params: schemas.templateParams,
      body: schemas.copyBody,
      bodyExample: { code: 'labour-contract-2' },
      idempotent: true,
      responses: { 201: { ...template, headers: { ...version, location: 'The copy.' } } },
      problems: [problems.templateNotFound, problems.templateCodeExists],
      handle: async ({ params: { templateId }, body, principal }) => {
        const made = await copies.copy(templateId, body, principal);
        return created(`${TEMPLATES_PATH}/${made.id}`, shown(made), etag(made.version));
      },
    }),
  ];
}

interface SentFacts {
  readonly name: string;
  readonly type: 'TYPE_1' | 'TYPE_2' | 'TYPE_3';
  readonly entityType?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly numberPattern?: string | null | undefined;
}

/** Members that are null or empty are not stored. */
const factsOf = ({ name, type, entityType, description, numberPattern }: SentFacts) => ({
  ...{ name, type },
  ...(entityType && { entityType }),
  ...(description && { description }),
  ...(numberPattern && { numberPattern }),
});
