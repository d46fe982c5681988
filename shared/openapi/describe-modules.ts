import type { AnyConfig } from '../config/index.ts';
import type { Route } from '../http/route.ts';
import type { ApiTag } from './api-module.ts';
import { type ApiModule, undeployed } from './api-module.ts';
import { type ApiInfo, describeApi } from './describe-api.ts';
import type { OpenApiDocument } from './document.ts';

export interface TaggedModule {
  readonly name: string;
  readonly tags: readonly ApiTag[];
}

/** Creates the route table of a module. */
export type RouteTable = (services: object, config: AnyConfig) => readonly Route[];

/**
 * Describes modules by their declarations and route tables, with tags in their order.
 * @param tables the table of each module.
 * @throws Error when a route names a tag that its module does not declare.
 */
export function describeModules(
  modules: readonly TaggedModule[],
  tables: readonly RouteTable[],
  info: ApiInfo,
  config: AnyConfig,
): OpenApiDocument {
  const groups = modules.flatMap((module, at) => groupByTag(module, tables[at], config));
  return describeApi(groups, info, config);
}

function groupByTag(
  { name: module, tags }: TaggedModule,
  table: RouteTable = () => [],
  config: AnyConfig,
): ApiModule[] {
  const routes = table(undeployed(), config).filter(({ isAlias }) => !isAlias);
  const tagOf = ({ tag = tags[0]?.name }: Route) => tag;
  const lost = routes.find((route) => !tags.some(({ name }) => name === tagOf(route)));
  if (lost) {
    throw new Error(
      `${lost.operationId} names the tag "${tagOf(lost)}", which the declaration of ${module} does not have.`,
    );
  }
  return tags.map(({ name, description, when }) => ({
    ...{ module, tag: name, description },
    ...(when && { when }),
    routes: () => routes.filter((route) => tagOf(route) === name),
  }));
}
