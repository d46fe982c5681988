import type { PlatformConfig } from '../config/index.ts';
import type { ApiModule } from './api-module.ts';
import { headerParameters, problemSchema, responseHeaders } from './components.ts';
import type { OpenApiDocument, OperationObject } from './document.ts';
import { operationOf } from './operation.ts';
import { templateOf } from './parameters.ts';
import { ProblemResponses } from './problem-responses.ts';
import { SchemaRegistry } from './schemas.ts';

/** Name and version of the API. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/**
 * Describes the routes of all modules as one OpenAPI document. The same routes give the same document, byte for byte.
 * @throws Error when two routes share a path and method or an operationId.
 */
export function describeApi<C extends PlatformConfig>(
  modules: readonly ApiModule<C>[],
  info: ApiInfo,
  config: C,
): OpenApiDocument {
  const shared = { schemas: new SchemaRegistry(), problems: new ProblemResponses() };
  shared.schemas.add(problemSchema, 'output');
  const paths: Record<string, Record<string, OperationObject>> = {};
  const operationIds = new Set<string>();
  for (const module of modules) {
    for (const route of module.routes(config)) {
      const path = templateOf(route.path);
      const method = route.method.toLowerCase();
      if (paths[path]?.[method] || operationIds.has(route.operationId)) {
        throw new Error(`${route.operationId} (${route.method} ${route.path}) is there twice.`);
      }
      operationIds.add(route.operationId);
      paths[path] = { ...paths[path], [method]: operationOf(route, module, shared) };
    }
  }
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    tags: modules.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas: shared.schemas.components,
      responses: shared.problems.responses,
      parameters: headerParameters,
      headers: responseHeaders,
      examples: shared.problems.examples,
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token of an issuer that the platform trusts.',
        },
      },
    },
  };
}
