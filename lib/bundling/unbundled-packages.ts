import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError, error } from '../../shared/config/index.ts';
import type { AssetFolder } from '../../shared/module/declaration.ts';
import { packageRoot } from './package-files.ts';

/** Packages installed beside the code of a function. */
export interface UnbundledPackages {
  /** Name of the function. */
  readonly name: string;
  readonly packages: readonly string[];
  /** Folder that they are resolved from, before the project's. */
  readonly from: string;
  readonly architecture?: 'arm64' | 'x86_64';
}

/** The packages that a function takes along. */
interface NeededPackages {
  readonly name: string;
  readonly packages?: readonly string[];
  readonly packed?: readonly { readonly package: string }[];
}

/** A package and its place in the archive. */
interface PlacedPackage {
  readonly name: string;
  readonly version: string;
  /** Folder where it is installed. */
  readonly source: string;
  /** Folder of the archive, relative to it: `node_modules/a/node_modules/b`. */
  readonly place: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Copies packages with all that they depend on into `node_modules` of a function's archive, in versions and places in
 * which each finds what it finds where it is installed.
 * @returns what was copied, as `name@version`.
 * @throws ConfigError `PACKAGE_MISSING` naming a package that is not installed.
 */
export function copyPackages(wanted: UnbundledPackages, archive: string): readonly string[] {
  const placed = placePackages(wanted);
  for (const { source, place, version } of placed) {
    const target = join(archive, place);
    if (installedVersion(target) === version) continue;
    cpSync(source, target, {
      recursive: true,
      dereference: true,
      filter: (path) => path === source || basename(path) !== 'node_modules',
    });
  }
  return placed.map(({ name, version }) => `${name}@${version}`);
}

/**
 * The folder that is copied to the archive of a function.
 * @param from the module's folder.
 * @throws ConfigError `PACKAGE_MISSING`, or `ASSETS_MISSING` naming a folder that is not there.
 */
export function assetFolder(folder: AssetFolder, ofFunction: string, from: string): string {
  const owner = folder.package;
  const root =
    owner === undefined ? from : (findPackage(owner, from) ?? missingPackage(owner, ofFunction));
  const path = resolve(root, folder.from);
  if (existsSync(path)) return path;
  throw new ConfigError([
    error(
      'ASSETS_MISSING',
      `function ${ofFunction}`,
      `takes along the folder ${folder.from} of ${owner ?? 'its module'}, which is not there`,
    ),
  ]);
}

function placePackages({ name, packages, from, architecture }: UnbundledPackages): PlacedPackage[] {
  const placed = new Map<string, PlacedPackage>();
  const place = (dependency: string, source: string, parent: string): void => {
    const found = levelsUp(parent)
      .map((level) => placed.get(placeBelow(level, dependency)))
      .find((each) => each !== undefined);
    if (found?.source === source) return;
    const own = placeBelow(found ? parent : '', dependency);
    const manifest = readManifest(source);
    placed.set(own, { name: dependency, version: manifest.version, source, place: own });
    for (const required of requiredBy(manifest)) {
      place(required, find(required, source) ?? missingPackage(required, name, dependency), own);
    }
    for (const optional of Object.keys(manifest.optionalDependencies ?? {})) {
      const installed = find(optional, source);
      if (installed && runsOn(readManifest(installed), architecture))
        place(optional, installed, own);
    }
  };
  for (const each of packages) {
    place(each, findPackage(each, from) ?? missingPackage(each, name), '');
  }
  return [...placed.values()];
}

/** The places from which a package in the archive looks for others, its own first. */
function levelsUp(place: string): string[] {
  const levels = [place];
  for (let at = place; at !== ''; ) {
    const above = at.lastIndexOf('node_modules/');
    at = at.slice(0, Math.max(0, above - 1));
    levels.push(at);
  }
  return levels;
}

const placeBelow = (level: string, name: string): string =>
  level === '' ? `node_modules/${name}` : `${level}/node_modules/${name}`;

function requiredBy(manifest: Manifest): string[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter(
    (peer) => !manifest.peerDependenciesMeta?.[peer]?.optional,
  );
  return [...Object.keys(dependencies), ...peers].filter(
    (required) => !Object.hasOwn(optionalDependencies, required),
  );
}

/** Whether a package is for the machines of Lambda: builds for other ones are left out. */
function runsOn({ os = [], cpu = [] }: Manifest, architecture = 'arm64'): boolean {
  const allows = (list: readonly string[], value: string): boolean =>
    !list.includes(`!${value}`) &&
    (list.every((each) => each.startsWith('!')) || list.includes(value));
  return allows(os, 'linux') && allows(cpu, architecture === 'x86_64' ? 'x64' : 'arm64');
}

/** The folder of a package as found from the module's folder, then from the project that is synthesised. */
export function findPackage(name: string, from: string): string | undefined {
  return find(name, from) ?? find(name, process.cwd());
}

/**
 * Misses optional packages of a function by their names, before a file of it that imports them is missed.
 * @param from the module's folder.
 * @throws ConfigError `PACKAGE_MISSING`
 */
export function requirePackages(
  { name, packages = [], packed = [] }: NeededPackages,
  from: string,
): void {
  for (const needed of [...packages, ...packed.map((each) => each.package)]) {
    if (!findPackage(needed, from)) missingPackage(needed, name);
  }
}

/** Folder of an installed package as Node.js finds it from a folder. */
function find(name: string, from: string): string | undefined {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/** @throws ConfigError `PACKAGE_MISSING` */
export function missingPackage(
  name: string,
  ofFunction: string,
  requiredByPackage?: string,
): never {
  const { peerDependencies = {} } = readManifest(packageRoot);
  const range = peerDependencies[name];
  const needs = requiredByPackage ? `${requiredByPackage} needs` : 'it takes along';
  throw new ConfigError([
    error(
      'PACKAGE_MISSING',
      `function ${ofFunction}`,
      `${needs} the npm package ${name}, which is not installed: npm install ${range ? `'${name}@${range}'` : name}`,
    ),
  ]);
}

function installedVersion(folder: string): string | undefined {
  return existsSync(join(folder, 'package.json')) ? readManifest(folder).version : undefined;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
