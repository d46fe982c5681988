import type { AnyConfig, PlatformConfig } from '../config/index.ts';
import type { Route } from '../http/route.ts';

/** A heading of the API description; the routes that name it stand below it. */
export interface ApiTag {
  readonly name: string;
  readonly description: string;
  /** Properties that must be true for its routes to be there, such as `mq.relay.enabled`. */
  readonly when?: readonly string[];
}

/** A group of operations as the API description shows them. */
export interface ApiModule<C extends PlatformConfig = AnyConfig> {
  /** Name of the module, as in the table of modules: the group is shown when the module is on. */
  readonly module: string;
  /** Heading of the group. */
  readonly tag: string;
  readonly description: string;
  /** Properties that must be true for the group to be there, such as `mq.dispatch.enabled`. */
  readonly when?: readonly string[];
  /** The routes; their handlers are never called. */
  routes(config: C): readonly Route[];
}

/**
 * Stands in for services where routes are described and not called: a route's handler reads them at a call only.
 * @throws Error from every use.
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
