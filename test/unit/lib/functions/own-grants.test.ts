import { describe, expect, it } from 'vitest';
import { loadSvcConfig } from '../../../../lib/configuration/svc-config.ts';
import { platformModules } from '../../../../lib/modules.ts';
import type { ModuleDeclaration } from '../../../../shared/module/declaration.ts';
import type { Grant } from '../../../../shared/module/grants.ts';

const config = loadSvcConfig({}, { stage: 'dev', modules: platformModules });

interface Shared {
  readonly pattern: RegExp;
  readonly reason: string;
  /** Modules that may; all when left out. */
  readonly only?: readonly string[];
}

/** What modules share. `NAME` is the name of the module or of its groups of listeners. */
const SHARED: readonly Shared[] = [
  { pattern: /^table message#\*$/, reason: 'Messages leave with what they tell of.' },
  { pattern: /^bucket outbox\/(2|dead\/)$/, reason: 'Bodies of large messages.' },
  { pattern: /^table IDEM#NAME#\*$/, reason: 'Answers are kept by Idempotency-Key.' },
  { pattern: /^table (message_tracking|received_messages)#NAME#\*$/, reason: 'Own listeners.' },
  { pattern: /^table setting#@refresh$/, reason: 'Caches follow refreshes.' },
  { pattern: /^table setting#@health$/, reason: 'Reports for /health.', only: ['workflow'] },
  {
    pattern: /^table message_tracking#\*$/,
    reason: 'Listeners of hosts and dead letters are of every group.',
    only: ['messaging'],
  },
  {
    pattern: /^gsi1 message#(dead|due#\*)$/,
    reason: 'The relay sends what is due.',
    only: ['messaging'],
  },
  {
    pattern: /^table LOCK#NAME#\*$/,
    reason: 'One relay, and one run of a source, at a time.',
    only: ['identity', 'messaging'],
  },
  {
    pattern: /^bucket documents\//,
    reason: 'Documents that the editor may open lie together, and no keys of modules do.',
    only: ['editor', 'templates'],
  },
  { pattern: /^secret svc-cloud\/$/, reason: 'The AES key.', only: ['settings'] },
];

/** Where a grant is for, one line each; the bus has no parts. */
function placesOf(grant: Grant): string[] {
  if (grant.on === 'table')
    return grant.leadingKeys.map((key) => `${grant.index ?? 'table'} ${key}`);
  if (grant.on === 'bucket') return grant.keyPrefixes.map((prefix) => `bucket ${prefix}`);
  if (grant.on === 'secret') return grant.namePrefixes.map((prefix) => `secret ${prefix}`);
  return [];
}

/** Whether a module claims the first word of a key, or the folder of an object. */
function isOwn({ name, keyPrefixes = [] }: ModuleDeclaration, place: string): boolean {
  const [kind = '', path = ''] = place.split(' ');
  if (kind === 'bucket') return path.startsWith(`${name}/`);
  const [word = ''] = path.split('#');
  return keyPrefixes.some((claimed) =>
    claimed.endsWith('*') ? word.startsWith(claimed.slice(0, -1)) : word === claimed,
  );
}

/** Whether modules share it, for themselves where it has names. */
function isShared(module: ModuleDeclaration, place: string): boolean {
  const groups = (module.listeners ?? []).map(({ group }) => group);
  const named = [module.name, ...groups].reduce(
    (text, name) => text.replace(`#${name}#`, '#NAME#'),
    place,
  );
  return SHARED.some(
    ({ pattern, only }) => pattern.test(named) && (only?.includes(module.name) ?? true),
  );
}

/** The grants of a module's functions and of those that bind its ports. */
const grantsOf = ({ grants, jobs = [], offers = [] }: ModuleDeclaration): Grant[] => [
  ...grants(config),
  ...jobs.flatMap((job) => job.grants(config)),
  ...offers.flatMap((port) => port.grants(config, ['a.setting'])),
];

const outside = (module: ModuleDeclaration): string[] =>
  grantsOf(module)
    .flatMap(placesOf)
    .filter((place) => !isOwn(module, place) && !isShared(module, place));

describe('the grants of a module', () => {
  it.each(platformModules.map((module) => [module.name, module] as const))(
    '%s are for its own keys and objects, or for what modules share',
    (_, module) => {
      expect(grantsOf(module).length).toBeGreaterThan(0);
      expect(outside(module)).toEqual([]);
    },
  );

  it('have a reason each', () => {
    const reasons = platformModules.flatMap(grantsOf).map(({ reason }) => reason);

    expect(reasons.filter((reason) => !/^[A-Z].{10,}\.$/.test(reason))).toEqual([]);
  });

  it.each([
    ['table setting#*', 'table setting#*'],
    ['keys of another module that begin alike', 'table CASES#*'],
    ['answers kept for another module', 'table IDEM#settings#*'],
    ['objects of another module', 'bucket workflow/cases/'],
    ['an index', 'gsi1 WF#*'],
  ])('are found when they reach further: %s', (_, place) => {
    const [kind, path = ''] = place.split(' ');
    const keys = { actions: [], reason: 'None.' };
    const grant: Grant =
      kind === 'bucket'
        ? { on: 'bucket', keyPrefixes: [path], ...keys }
        : { on: 'table', leadingKeys: [path], ...(kind === 'gsi1' && { index: kind }), ...keys };
    const entities = platformModules.find(({ name }) => name === 'entities');
    if (!entities) throw new Error('There is no such module');

    expect(outside({ ...entities, grants: () => [grant] })).toEqual([place]);
  });
});
