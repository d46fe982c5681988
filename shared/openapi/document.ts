/** A JSON Schema (draft 2020-12) in the document. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A pointer to a component. */
export interface Reference {
  readonly $ref: string;
}

/** One content type of a body. */
export interface MediaType {
  readonly schema?: JsonSchema;
  /** Content types of the files of a form, by name. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference | { readonly value: unknown }>>;
}

/** A header of an answer. */
export interface HeaderObject {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** One answer of an operation. */
export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference | HeaderObject>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  /** OpenAPI links to following operations, by operationId. */
  readonly links?: Readonly<Record<string, LinkObject>>;
}

/** An OpenAPI link. */
export interface LinkObject {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A parameter of an operation. */
export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly description?: string;
  readonly required: boolean;
  /** An object whose members are parameters of their own. */
  readonly style?: 'form';
  readonly explode?: true;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** One method of a path. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Reference | ParameterObject)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Reference | ResponseObject>>;
  /** Whether the body is signed: an unsigned one is refused even if it matches the schema. */
  readonly 'x-signed-body'?: boolean;
  /** The owning module; removed before the document is served. */
  readonly 'x-module'?: string;
  /** Properties that enable the operation; removed before the document is served. */
  readonly 'x-when'?: readonly string[];
}

/** Everything that operations share, by kind and name. */
export type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An OpenAPI document, as far as this platform uses the format. @see OpenAPI 3.1.1 */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Components;
}
