import type * as z from 'zod';
import { type Lazily, withLazyMembers } from '../primitives/lazy.ts';
import type { DeclaredProblem } from '../problems/problem.ts';
import type { KeptCall } from '../security/kept-call.ts';
import type { Principal } from '../security/principal.ts';
import type { ErrorForm } from './error-form.ts';
import { FORM_TYPE, type FormSchema } from './form.ts';
import type { Reply } from './reply.ts';

/** HTTP methods that a route may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Actions of a permission; by default GET is view, POST add, PUT and PATCH and `:verb` edit, DELETE delete. */
export type Action = 'view' | 'add' | 'edit' | 'delete' | 'reveal';

/**
 * Access rule of a route.
 * - `public`: anybody; a token that is sent must still be valid.
 * - `authenticated`: anybody with a valid token.
 * - `permission`: the host's `permissionEvaluator` must allow target and action; denied without one.
 * - `capability`: the route checks its own token and never reads the bearer token.
 * - `data`: the service decides by stored data; a token that is sent must be valid.
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'authenticated' }
  | {
      readonly kind: 'permission';
      readonly target: string;
      readonly action?: Action;
      /** Callers that need no permission, because their token is for this route. */
      readonly admits?: Admits;
    }
  | { readonly kind: 'capability' }
  | { readonly kind: 'data' };

/** The request that asks to be admitted. */
export interface AdmissionRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the caller whom a token of another kind names; `undefined`: the request has none.
 * @throws Problem `UNAUTHENTICATED` (401), `FORBIDDEN` (403) for one that is not valid here
 */
export type Admits = (request: AdmissionRequest) => Promise<Principal | undefined>;

export const publicAccess: Access = { kind: 'public' };
export const authenticated: Access = { kind: 'authenticated' };
export const capability: Access = { kind: 'capability' };
export const decidedByData: Access = { kind: 'data' };
/** Access that asks the host for `<target>:<action>`; the action follows from the method when it is not named. */
export const permission = (target: string, action?: Action, admits?: Admits): Access => ({
  kind: 'permission',
  target,
  action,
  admits,
});

/** One answer of a route, for the API description and the checks of the tests. */
export interface ResponseSpec {
  readonly description: string;
  /** Schema of the JSON body; none: no body, or the content type says what it is. */
  readonly schema?: Lazily<z.ZodType>;
  readonly contentType?: string;
  /** Whether the body is bytes, not text. */
  readonly isBinary?: boolean;
  /** Cookies that the answer may set: name without a prefix, and meaning. */
  readonly setsCookies?: Readonly<Record<string, string>>;
  /** Schemas of other content types that a caller may request. */
  readonly otherContent?: Readonly<
    Record<string, { readonly schema?: Lazily<z.ZodType>; readonly example?: unknown }>
  >;
  /** Response headers besides the common ones: name and meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
  /**
   * OpenAPI links: for each following operation, where its parameters are found in the response, such as
   * `{ getSetting: { key: '$response.body#/name' } }`.
   */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Input of a route's handler: parsed, validated, typed. */
export interface RouteInput<P, Q, B, C = unknown, F = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The parts of a form, when the request is one. */
  readonly form?: F | undefined;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: C;
  readonly principal: Principal;
  /** The caller's `If-Match` version; `undefined` when none was sent. */
  readonly ifMatch: string | undefined;
  /** Whether the caller sent `If-None-Match: *`. */
  readonly ifNoneMatch: boolean;
  /** The `Idempotency-Key` of the call, where the route keeps it itself. */
  readonly idempotency?: KeptCall | undefined;
  /** Whether the caller prefers an answer before the work is done, where the route has a choice. */
  readonly respondAsync: boolean;
}

/** One route of a module. */
export interface RouteSpec<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  C extends z.ZodType = z.ZodType,
  F extends FormSchema = FormSchema,
> {
  readonly operationId: string;
  readonly method: Method;
  /** Path with `{parameters}`; a custom verb follows a colon: `/cases/{id}:suspend`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Heading of the API description, among those of the module's declaration; the first by default. */
  readonly tag?: string;
  /** Whether it is an alias of another operation, left out of the API description. */
  readonly isAlias?: boolean;
  readonly access: Access;
  /** Refuses callers whatever else they send: runs once they are known, before anything is parsed. */
  readonly guard?: (principal: Principal) => void;
  /** Schemas are built when a request first needs them: give a function that makes them. */
  readonly params?: Lazily<P>;
  readonly query?: Lazily<Q>;
  readonly body?: Lazily<B>;
  /** An example of the body, for the API description. */
  readonly bodyExample?: unknown;
  /** Examples for content types with other bodies. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>;
  /** Parts of a form; the route accepts multipart/form-data then, besides its body if it has one. */
  readonly form?: Lazily<F>;
  /** An example of the form, for the API description. */
  readonly formExample?: unknown;
  /** Accepted content types of the body; default JSON. Others are passed to the handler as a `Buffer`. */
  readonly consumes?: readonly string[];
  /** Whether the handler receives the raw bytes of the body; see `rawRoute`. */
  readonly rawBody?: boolean;
  /** The platform's own cookies that the route reads, by their names without a prefix; others are ignored. */
  readonly cookies?: Lazily<C>;
  /** Largest body in bytes, when it differs from `svc.web.max-body`. */
  readonly maxBodyBytes?: number;
  /** Whether JSON may have any number of levels: the handler answers for what is nested too deeply. */
  readonly anyDepth?: boolean;
  /** Whether extra query parameters and body fields are ignored (for calls by other software). */
  readonly lenient?: boolean;
  /**
   * Whether the route honours `Idempotency-Key` (for calls that create or start something). `'own'`: the handler keeps the
   * key with its own commits (`RouteInput.idempotency`), because one transaction around the call would hold them back.
   */
  readonly idempotent?: boolean | 'own';
  /** Whether the route honours `If-Match` and `If-None-Match`. */
  readonly conditional?: boolean;
  /** Whether the route honours `Prefer: respond-async`; it answers 202 then, with `Preference-Applied`. */
  readonly deferrable?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Problems that the route may answer besides those of the pipeline: `[problems.settingNotFound]`. */
  readonly problems?: readonly DeclaredProblem[];
  /**
   * Advice when the response exceeds Lambda's limit (`ANSWER_TOO_LARGE`); a route with the
   * query parameter `fields` mentions it automatically.
   */
  readonly whenTooLarge?: string;
  /** Custom error format for callers that do not expect problem documents. */
  readonly errorForm?: ErrorForm;
  readonly handle: (
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, z.output<C>, z.output<F>>,
  ) => Promise<Reply>;
  /** Resources of a call that its path does not name, for its line `audit` in the log: names, never values. */
  readonly concerns?: (
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, z.output<C>, z.output<F>>,
  ) => Readonly<Record<string, unknown>>;
  /**
   * Answers a repeated call with an `Idempotency-Key` by what the first one has kept, under what the caller may see by
   * then; for routes whose replies have `kept`.
   */
  readonly replay?:
    | ((
        kept: unknown,
        input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, z.output<C>, z.output<F>>,
      ) => Promise<Reply>)
    | undefined;
}

const SCHEMA_PARTS = ['params', 'query', 'body', 'form', 'cookies'] as const;

type SchemaPart = (typeof SCHEMA_PARTS)[number];

/** A route of any shape, as the pipeline and the API description handle it; its schemas are built as they are read. */
export type Route = Omit<RouteSpec, 'handle' | 'concerns' | 'replay' | SchemaPart> & {
  readonly [part in Exclude<SchemaPart, 'form'>]?: z.ZodType;
} & {
  readonly form?: FormSchema;
  // biome-ignore lint/suspicious/noExplicitAny: the pipeline parses by the route's own schemas before it calls
  readonly handle: (input: RouteInput<any, any, any, any, any>) => Promise<Reply>;
  readonly concerns?: (
    // biome-ignore lint/suspicious/noExplicitAny: as above
    input: RouteInput<any, any, any, any, any>,
  ) => Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly replay?: (kept: unknown, input: RouteInput<any, any, any, any, any>) => Promise<Reply>;
};

/** Declares a route; the types of `params`, `query`, `body` and `cookies` follow from the schemas. */
export function route<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  C extends z.ZodType = z.ZodUndefined,
  F extends FormSchema = FormSchema,
>(spec: RouteSpec<P, Q, B, C, F>): Route {
  return withLazyMembers(spec, SCHEMA_PARTS) as unknown as Route;
}

/** A route whose body is signed: the schema of the body only describes it. */
export type RawRouteSpec<P extends z.ZodType, Q extends z.ZodType, C extends z.ZodType> = Omit<
  RouteSpec<P, Q, z.ZodType, C>,
  'handle' | 'concerns' | 'replay' | 'rawBody' | 'body'
> & {
  readonly body: Lazily<z.ZodType>;
  readonly handle: (
    input: RouteInput<z.output<P>, z.output<Q>, Buffer, z.output<C>>,
  ) => Promise<Reply>;
};

/**
 * Declares a route with a signed body. The handler receives the raw bytes, with an accepted
 * content type and size; it verifies them, then parses them with `parseJson` and `parseWith`.
 */
export function rawRoute<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  C extends z.ZodType = z.ZodUndefined,
>(spec: RawRouteSpec<P, Q, C>): Route {
  return withLazyMembers({ ...spec, rawBody: true }, SCHEMA_PARTS) as unknown as Route;
}

/** The action that a route's permission asks for. */
export function actionOf({
  method,
  path,
  access,
}: Pick<Route, 'method' | 'path' | 'access'>): Action {
  if (access.kind === 'permission' && access.action) return access.action;
  if (path.includes('}:') || /:[a-z-]+$/.test(path)) return 'edit';
  return ({ GET: 'view', POST: 'add', PUT: 'edit', PATCH: 'edit', DELETE: 'delete' } as const)[
    method
  ];
}

/** The content types that a route takes: those of its body, and forms when it declares one. */
export function acceptedTypes({
  body,
  form,
  consumes,
}: Pick<Route, 'body' | 'form' | 'consumes'>): readonly string[] {
  const ofBody = body ? (consumes ?? ['application/json']) : [];
  return form ? [...new Set([...ofBody, FORM_TYPE])] : ofBody;
}
