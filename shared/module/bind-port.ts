import type { PlatformConfig } from '../config/index.ts';
import type { ServiceContext } from '../lambda/module-context.ts';
import { lazy } from '../primitives/lazy.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { DeclaredProblem } from '../problems/problem.ts';
import type { PortAccess } from './ports.ts';

/** A port as `port.ts` of its module defines it. */
interface PortSpec<T, C extends PlatformConfig> {
  /** `<module>.<port>`, as in the declaration. */
  readonly name: string;
  /** Problems that its calls throw: a route that makes them lists `port.problems`. */
  readonly problems?: readonly DeclaredProblem[];
  /** Builds what callers use, from the context of the function that binds it. */
  readonly create: (context: ServiceContext<C>) => T;
}

/** Code of a module that runs in the functions of others, without a call from function to function. */
export interface Port<T, C extends PlatformConfig = PlatformConfig> extends PortSpec<T, C> {
  readonly access: PortAccess;
  readonly problems: readonly DeclaredProblem[];
}

/** A port in the function that binds it. */
export interface BoundPort<T> {
  /** Whether the module that offers it is on. */
  readonly isOn: boolean;
  /** @throws Problem `MODULE_OFF` (422) when that module is switched off */
  use(): T;
}

/** Declares a port that writes nothing. */
export function readPort<T, C extends PlatformConfig>(spec: PortSpec<T, C>): Port<T, C> {
  return portOf(spec, 'read-only');
}

/** Declares a port that writes in the caller's unit of work. */
export function writePort<T, C extends PlatformConfig>(spec: PortSpec<T, C>): Port<T, C> {
  return portOf(spec, 'transactional');
}

function portOf<T, C extends PlatformConfig>(
  { problems = [], ...spec }: PortSpec<T, C>,
  access: PortAccess,
): Port<T, C> {
  return { ...spec, access, problems: [httpProblems.moduleOff, ...problems] };
}

/**
 * Binds a port of another module; called once, in `module.ts`. What is behind it is built when it is first used.
 * @throws Error when the declaration of the function does not name the port in `uses`: it would have no grants.
 */
export function bindPort<T, C extends PlatformConfig>(
  { name, access, create }: Port<T, C>,
  context: ServiceContext<C>,
): BoundPort<T> {
  const { module, ports } = context.environment;
  const isOn = ports ? ports[name] : true;
  if (isOn === undefined) {
    throw new Error(`The function ${module} binds ${name}, which its declaration has not in uses`);
  }
  const made = lazy(() => create(access === 'read-only' ? readOnly(name, context) : context));
  return {
    isOn,
    use() {
      if (!isOn) throw httpProblems.moduleOff({ port: name });
      return made();
    },
  };
}

/**
 * The context without any way to write: a port that is read-only by mistake fails in its first test. Members are
 * named one by one, because what a function binds with has more, such as its outbox.
 */
function readOnly<C extends PlatformConfig>(
  name: string,
  context: ServiceContext<C>,
): ServiceContext<C> {
  const refuse = (): never => {
    throw new Error(`The port ${name} is read-only and does not write`);
  };
  const { config, host, environment, clock, tenantClock, ids, log } = context;
  const { table, refreshScope, readSecret } = context;
  return {
    ...{ config, host, environment, clock, tenantClock, ids, log },
    ...{ table, refreshScope, readSecret },
    unitOfWork: async () => refuse(),
    batchWrite: async () => refuse(),
    events: { publish: async () => refuse(), asyncPublish: async () => refuse() },
  };
}
