import type { AnyConfig, PlatformConfig } from '../config/index.ts';
import type { Grant } from './grants.ts';

/**
 * How a port treats the items of its module: `read-only` writes nothing, `transactional` writes as part of the
 * caller's unit of work.
 */
export type PortAccess = 'read-only' | 'transactional';

/** A port that a module offers to others: plain data beside the code in its `port.ts`. */
export interface PortOffer<C extends PlatformConfig = AnyConfig> {
  /** `<module>.<port>`, as in `port.ts`. */
  readonly name: string;
  readonly access: PortAccess;
  /** Whether the functions of the offering module get the names of the modules that bind it. */
  readonly tellsUsers?: boolean;
  /**
   * What a function that binds it may do with keys of this module.
   * @param names what the function says it needs, where the port covers things with names.
   */
  grants(config: C, names: readonly string[]): readonly Grant[];
  /** Ports that it binds itself. */
  readonly uses?: readonly PortUse[];
  /**
   * Jobs of its module that its calls wait for. A function that binds it may call those that are on, and finds their
   * names as `<module>-<job>` in `environment.services.functions`. No read-only port has any.
   */
  readonly calls?: readonly string[];
}

/** A port of another module that a function binds. */
export interface PortUse {
  /** `<module>.<port>` */
  readonly port: string;
  /** Names or prefixes ending in `*` that it is limited to, where the port covers things with names. */
  readonly names?: readonly string[];
  /** Why the function needs it. */
  readonly reason: string;
}
