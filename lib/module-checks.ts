import { jobFunctionName, type ModuleDeclaration } from '../shared/module/declaration.ts';
import { problem } from './configuration/configuration.ts';
import type { SvcConfig } from './modules.ts';

/** Folders of the bucket that messaging keeps its bodies in. */
const OWN_FOLDERS = ['outbox/'];
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/;

interface Claim {
  readonly owner: string;
  readonly value: string;
}

/**
 * Checks that modules do not take what another has.
 * @throws ConfigError `MODULE_TWICE`, `FUNCTION_TWICE`, `ROLE_TWICE`, `FILES_TWICE`
 */
export function checkModules(modules: readonly ModuleDeclaration[]): void {
  const names = modules.map(({ name }) => ({ owner: name, value: name }));
  const jobs = modules.flatMap((module) =>
    (module.jobs ?? []).map((job) => ({ owner: module.name, value: jobFunctionName(module, job) })),
  );
  refuse('MODULE_TWICE', 'module', twins(names), 'is there twice');
  refuse('FUNCTION_TWICE', 'function', twins([...names, ...jobs]), 'is declared twice');
  checkRoles(modules);
  const folders = modules.flatMap(({ name, expiringFiles = {} }) =>
    Object.keys(expiringFiles).map((value) => ({ owner: name, value })),
  );
  const own = OWN_FOLDERS.map((value) => ({ owner: 'messaging', value }));
  const [, folder] = meeting([...own, ...folders], ruleName) ?? [];
  refuse('FILES_TWICE', 'files', folder, 'meet the expiring files of another declaration');
}

/** Names of lifecycle rules are made of folders: two of one name are refused by S3 during the deployment only. */
const ruleName = (folder: string): string => `${folder.replace(/\W+/g, '-')}`;

/** Roles that only one module may have. */
function checkRoles(modules: readonly ModuleDeclaration[]): void {
  const roles: readonly (readonly [string, (module: ModuleDeclaration) => boolean])[] = [
    ['answersUnknownPaths', (module) => module.answersUnknownPaths ?? false],
    ['sessionKeysPath', (module) => module.sessionKeysPath !== undefined],
    ['runsHostListeners', (module) => module.runsHostListeners ?? false],
    ['relay', ({ jobs = [] }) => jobs.some(({ relay }) => relay)],
  ];
  for (const [role, has] of roles) {
    const [, second] = modules.filter(has);
    if (!second) continue;
    throw problem('ROLE_TWICE', `module ${second.name}`, `has ${role}, which another module has`);
  }
}

/**
 * Checks the paths of modules.
 * @throws ConfigError `PATH_INVALID`; `PATH_TAKEN` when a module names one twice, or two have one as fallback
 */
export function checkPaths(modules: readonly ModuleDeclaration[], config: SvcConfig): void {
  const all: Claim[] = modules.flatMap(({ name, paths }) => claims(name, paths(config)));
  const fallbacks = modules.flatMap(({ name, fallbackPaths }) =>
    claims(name, fallbackPaths?.(config) ?? []),
  );
  for (const { owner, value } of [...all, ...fallbacks]) {
    if (PATH.test(value)) continue;
    throw problem(
      'PATH_INVALID',
      `path ${value} of ${owner}`,
      'must be words after slashes, without parameters and without a slash at its end',
    );
  }
  const isSame = (one: Claim) => (other: Claim) =>
    one.owner === other.owner && one.value === other.value;
  // The API compares the paths of two modules when it makes their routes.
  const twice = all.find((claim, at) => all.findIndex(isSame(claim)) < at);
  const fallback = fallbacks.find(({ value }, at) =>
    [...all, ...fallbacks.slice(0, at)].some((other) => other.value === value),
  );
  refuse('PATH_TAKEN', 'path', twice ?? fallback, 'is there twice');
}

function claims(owner: string, values: unknown): Claim[] {
  if (Array.isArray(values)) return values.map((value) => ({ owner, value: String(value) }));
  throw problem('PATH_INVALID', `paths of ${owner}`, 'must be a list');
}

const twins = (all: readonly Claim[]): Claim | undefined =>
  all.find(({ value }, at) => all.findIndex((other) => other.value === value) < at);

/** Two folders of which one contains the other, or that have the same name. */
function meeting(
  all: readonly Claim[],
  nameOf: (value: string) => string,
): readonly [Claim, Claim] | undefined {
  for (const [at, one] of all.entries()) {
    const other = all
      .slice(at + 1)
      .find(
        ({ value }) =>
          value.startsWith(one.value) ||
          one.value.startsWith(value) ||
          nameOf(value) === nameOf(one.value),
      );
    if (other) return [one, other];
  }
  return undefined;
}

function refuse(code: string, what: string, claim: Claim | undefined, rule: string): void {
  if (!claim) return;
  const of = claim.owner === claim.value ? '' : ` of ${claim.owner}`;
  throw problem(code, `${what} ${claim.value}${of}`, rule);
}
