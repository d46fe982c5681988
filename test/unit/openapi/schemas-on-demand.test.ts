import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../lib/bundling/package-files.ts';
import { svcSections } from '../../../lib/configuration/svc-config.ts';
import { platformModules } from '../../../lib/modules.ts';
import type { Route } from '../../../shared/http/route.ts';
import { undeployed } from '../../../shared/openapi/api-module.ts';
import type { RouteTable } from '../../../shared/openapi/describe-modules.ts';
import { describedConfig } from '../../../shared/openapi/described-config.ts';

const switches = platformModules.flatMap(({ tags = [] }) => tags.flatMap(({ when = [] }) => when));
const config = describedConfig(svcSections(), switches);

/** The route table of every module, with all routes switched on. */
const tables = await Promise.all(
  platformModules.map(async ({ name, routes }): Promise<[module: string, Route[]]> => {
    const path = join(packageRoot, 'functions', name, `${routes?.file}.ts`);
    const factories = (await import(path)) as Record<string, RouteTable>;
    return [name, [...(factories[routes?.factory ?? '']?.(undeployed(), config) ?? [])]];
  }),
);
const routes = tables.flatMap(([, table]) => table);

describe('a route', () => {
  it('is looked at in every module', () => {
    expect(tables.filter(([, table]) => table.length === 0).map(([module]) => module)).toEqual([]);
  });

  it.each(routes.map((route) => [route.operationId, route] as const))(
    'builds its schemas when a request needs them: %s',
    (_name, route) => {
      const parts = Object.entries(Object.getOwnPropertyDescriptors(route)).filter(([part]) =>
        ['params', 'query', 'body', 'form', 'cookies'].includes(part),
      );
      const ofResponses = Object.values(route.responses).flatMap(({ schema }) => schema ?? []);

      expect(parts.filter(([, { get }]) => !get).map(([part]) => part)).toEqual([]);
      expect(ofResponses.filter((schema) => typeof schema !== 'function')).toEqual([]);
    },
  );
});
