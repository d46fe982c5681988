import type { AnyConfig } from '../config/index.ts';
import type { OpenApiDocument, OperationObject } from './document.ts';
import { fillPlaceholders } from './placeholders.ts';

/** Configuration of a deployment. */
export interface Deployed {
  readonly modulesOn: readonly string[];
  readonly config: AnyConfig;
}

/**
 * Reduces the whole document to a deployment: only enabled modules, paths and limits as
 * configured, and no unreferenced component.
 */
export function tailorApi(whole: OpenApiDocument, deployed: Deployed): OpenApiDocument {
  const present = tailorPaths(whole, deployed);
  const paths = fillIn(dropLinks(present), deployed.config);
  const tagsInUse = new Set(operationsOf(paths).flatMap(({ tags }) => tags));
  return prune({
    ...whole,
    tags: whole.tags.filter(({ name }) => tagsInUse.has(name)),
    paths,
    components: fillIn(whole.components, deployed.config),
  });
}

type Paths = OpenApiDocument['paths'];

function tailorPaths({ paths }: OpenApiDocument, { modulesOn, config }: Deployed): Paths {
  const isThere = (operation: OperationObject): boolean =>
    modulesOn.includes(operation['x-module'] ?? '') &&
    (operation['x-when'] ?? []).every((property) => read(config, property) === true);
  return Object.fromEntries(
    Object.entries(paths)
      .map(([path, methods]) => {
        const kept = Object.entries(methods)
          .filter(([, operation]) => isThere(operation))
          .map(([method, { 'x-module': _, 'x-when': __, ...operation }]) => [method, operation]);
        return [fillPath(path, config), Object.fromEntries(kept)] as const;
      })
      .filter(([, methods]) => Object.keys(methods).length > 0),
  );
}

/** Removes links to operations that are not part of the document. */
function dropLinks(paths: Paths): Paths {
  const operationIds = new Set(operationsOf(paths).map(({ operationId }) => operationId));
  const tidy = (response: OperationObject['responses'][string]) => {
    if (!('links' in response) || !response.links) return response;
    const links = Object.entries(response.links).filter(([, to]) =>
      operationIds.has(to.operationId),
    );
    return { ...response, links: Object.fromEntries(links) };
  };
  return mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, tidy),
    })),
  );
}

const mapValues = <T, U>(from: Readonly<Record<string, T>>, map: (value: T) => U) =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]));

function fillPath(path: string, config: AnyConfig): string {
  return fillPlaceholders(path, (property) => String(read(config, property)));
}

/** Inserts the configured value where a schema names a property: `x-config: { maximum: 'web.page-size-max' }`. */
function fillIn<T>(node: T, config: AnyConfig): T {
  if (Array.isArray(node)) return node.map((part) => fillIn(part, config)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-config': keywords = {}, ...rest } = node as Record<string, unknown>;
  const filled = Object.entries(keywords as Record<string, string>).map(([keyword, property]) => [
    keyword,
    read(config, property),
  ]);
  const children = Object.entries(rest).map(([key, value]) => [key, fillIn(value, config)]);
  return Object.fromEntries([...children, ...filled]) as T;
}

/** The value of a property in its documented spelling, such as `dynamic.api-prefix`. */
function read(config: AnyConfig, property: string): unknown {
  return property
    .split('.')
    .map((key) => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], config);
}

/** Removes unreferenced components, repeatedly. */
function prune(document: OpenApiDocument): OpenApiDocument {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key !== '$ref' || typeof value !== 'string') visit(value);
      else if (!used.has(value)) {
        used.add(value);
        const [kind = '', name = ''] = value.slice('#/components/'.length).split('/');
        visit(document.components[kind]?.[name]);
      }
    }
  };
  visit(document.paths);
  const components = Object.entries(document.components).map(([kind, entries]) => [
    kind,
    Object.fromEntries(
      Object.entries(entries).filter(
        ([name]) => kind === 'securitySchemes' || used.has(`#/components/${kind}/${name}`),
      ),
    ),
  ]);
  return { ...document, components: Object.fromEntries(components) };
}

const operationsOf = (paths: Paths): OperationObject[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));
