import type { AnyConfig, PlatformConfig } from '../config/index.ts';
import type { Route } from '../http/route.ts';

/** A heading of the API description; the routes that name it stand below it. */
export interface ApiTag {
  readonly name: string;
  readonly description: string;
  /** Properties that enable its routes, such as `mq.relay.enabled`. */
  readonly when?: readonly string[];
}

/** A group of operations as the API description shows them. */
export interface ApiModule<C extends PlatformConfig = AnyConfig> {
  /** Name of the module, as in the table of modules: the group is shown when the module is on. */
  readonly module: string;
  /** Heading of the group. */
  readonly tag: string;
  readonly description: string;
  /** Properties that enable the group, such as `mq.dispatch.enabled`. */
  readonly when?: readonly string[];
  /** The routes; their handlers are never called. */
  routes(config: C): readonly Route[];
}

/**
 * Placeholder for services when routes are only described: handlers read services only when called.
 * @throws Error on any property access.
 */
export function undeployed<T extends object>(): T {
  return new Proxy(Object.create(null) as T, {
    get: (_, name) => undeployedMember(String(name)),
  });
}

function undeployedMember(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_, member) => undeployedMember(`${name}.${String(member)}`),
    apply: () => {
      throw new Error(`${name} was called while the API was described.`);
    },
  });
}
