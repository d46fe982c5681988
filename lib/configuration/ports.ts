import type { AnyConfig, ConfigSection } from '../../shared/config/index.ts';
import {
  type FunctionDeclaration,
  jobFunctionName,
  type ModuleDeclaration,
} from '../../shared/module/declaration.ts';
import type { Grant } from '../../shared/module/grants.ts';
import type { PortOffer, PortUse } from '../../shared/module/ports.ts';
import { problem } from './configuration.ts';

/** The ports that one function binds. */
export interface BoundPorts {
  /** Each port with whether its module is on, those included that ports bind themselves. */
  readonly states: Readonly<Record<string, boolean>>;
  /** Grants on items and objects of their modules; none for modules that are off. */
  readonly grants: readonly Grant[];
  /** Functions that they call, by name; those of jobs that are off are among them, those of modules that are off are not. */
  readonly calls: readonly string[];
}

/** Actions on items and objects that change nothing. */
const READING = /^(BatchGetItem|ConditionCheckItem|GetItem|GetObject|Query)$/;

/**
 * The ports that a function declares to use, among those of all modules of a stack.
 * @throws ConfigError `PORT_UNKNOWN` when no module offers one, `PORT_WRITES` when a read-only one is granted a write
 *   or calls a function, `PORT_CIRCLE` when one binds itself.
 */
export function boundPorts(
  { uses = [] }: Pick<FunctionDeclaration, 'uses'>,
  modules: readonly ModuleDeclaration[],
  config: AnyConfig,
): BoundPorts {
  const find = (use: PortUse): FoundPort => knownPort(use, modules);
  const found = withTheirOwn(uses, find);
  for (const { offer } of found) refuseCircle(offer, find);
  const bound = found.map(({ use, module, offer }) => {
    const isOn = module.enabled?.(config) ?? true;
    const grants = isOn ? grantsOf(offer, use, config) : [];
    return { use, isOn, grants, calls: isOn ? callsOf(offer, module) : [] };
  });
  return {
    states: Object.fromEntries(bound.map(({ use, isOn }) => [use.port, isOn])),
    grants: bound.flatMap(({ grants }) => grants),
    calls: [...new Set(bound.flatMap(({ calls }) => calls))],
  };
}

/** Sections that the functions of a module read for the ports they bind; none of modules that are off. */
export function sectionsOfPorts(
  module: ModuleDeclaration,
  modules: readonly ModuleDeclaration[],
): readonly ConfigSection[] {
  const uses = [module, ...(module.jobs ?? [])].flatMap((each) => each.uses ?? []);
  const ofThoseOn = withTheirOwn(uses, (use) => findPort(use, modules));
  return [...new Set(ofThoseOn.flatMap((port) => port.module.configuration ?? []))];
}

interface FoundPort {
  readonly use: PortUse;
  readonly module: ModuleDeclaration;
  readonly offer: PortOffer;
}

/** The ports that are found, followed by those that they bind themselves. */
function withTheirOwn(
  uses: readonly PortUse[],
  find: (use: PortUse) => FoundPort | undefined,
): FoundPort[] {
  const found = new Map<string, FoundPort>();
  const waiting = [...uses];
  for (let use = waiting.shift(); use; use = waiting.shift()) {
    const identity = [use.port, ...(use.names ?? [])].join(' ');
    const port = found.has(identity) ? undefined : find(use);
    if (!port) continue;
    found.set(identity, port);
    waiting.push(...(port.offer.uses ?? []));
  }
  return [...found.values()];
}

/** Ports of a circle build each other without an end. */
function refuseCircle({ name, uses = [] }: PortOffer, find: (use: PortUse) => FoundPort): void {
  const below = withTheirOwn(uses, find);
  if (!below.some(({ offer }) => offer.name === name)) return;
  const others = below.map(({ offer }) => offer.name).filter((other) => other !== name);
  const way = others.length > 0 ? ` through ${others.join(', ')}` : '';
  throw problem('PORT_CIRCLE', `port ${name}`, `binds itself${way}, so that none can be built`);
}

function findPort(use: PortUse, modules: readonly ModuleDeclaration[]): FoundPort | undefined {
  for (const module of modules) {
    const offer = module.offers?.find(({ name }) => name === use.port);
    if (offer) return { use, module, offer };
  }
  return undefined;
}

function knownPort(use: PortUse, modules: readonly ModuleDeclaration[]): FoundPort {
  const found = findPort(use, modules);
  if (found) return found;
  const known = modules.flatMap(({ offers = [] }) => offers.map(({ name }) => name));
  const offered = known.length > 0 ? known.join(', ') : 'none';
  throw problem(
    'PORT_UNKNOWN',
    `port ${use.port}`,
    `is offered by no module; there are: ${offered}`,
  );
}

function grantsOf(
  { access, grants }: PortOffer,
  { port, names = [], reason }: PortUse,
  config: AnyConfig,
): readonly Grant[] {
  return grants(config, names).map((grant) => {
    if (access === 'read-only' && writes(grant)) {
      throw problem(
        'PORT_WRITES',
        `port ${port}`,
        `is read-only, but grants a write: ${grant.reason}`,
      );
    }
    return { ...grant, reason: `${reason} ${grant.reason}` };
  });
}

function callsOf(
  { name, access, calls = [] }: PortOffer,
  module: ModuleDeclaration,
): readonly string[] {
  const [first] = calls;
  if (access === 'read-only' && first !== undefined) {
    throw problem('PORT_WRITES', `port ${name}`, `is read-only, but calls the job ${first}`);
  }
  return calls.map((job) => jobFunctionName(module, { name: job }));
}

function writes(grant: Grant): boolean {
  if (grant.on === 'secret') return false;
  return !(grant.on === 'table' || grant.on === 'bucket') || !grant.actions.every(isReading);
}

const isReading = (action: string): boolean => READING.test(action);
