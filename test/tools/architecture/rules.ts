import { basename, dirname } from 'node:path/posix';
import { circles, type Graph } from './circles.ts';
import { type CodeBase, roomsOf, type SourceFile } from './code-base.ts';

/** A rule of the architecture. */
export interface Rule {
  readonly name: string;
  /** What to do when it fails. */
  readonly wayOut: string;
  /** Places that break it, as sentences. */
  readonly check: (code: CodeBase) => readonly string[];
}

const MAX_FILES = 15;
const MAX_FILES_OF_ONE_IDEA = 20;

/** Rooms of up to 20 files, and the one idea each of them is. */
const ROOMS_OF_ONE_IDEA: Readonly<Record<string, string>> = {
  'functions/messaging': 'a small module stays flat',
  'functions/settings': 'a small module stays flat',
  'functions/entities/domain/search': 'finding the records of one query',
};

/** Files of `shared` with a word that is a module's name by chance. */
const OTHER_MEANING: Readonly<Record<string, string>> = {
  'shared/http-client/body.ts': 'identity is a content encoding (RFC 9110)',
  'shared/docx/render/finish/updates.ts':
    'settings are a part of a document (ISO/IEC 29500-1, 17.15)',
  'shared/docx/html/write-html.ts': 'settings are a part of a document (ISO/IEC 29500-1, 17.15)',
};

/** Which top folders each top folder may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  shared: ['shared'],
  functions: ['functions', 'shared'],
  lib: ['lib', 'functions', 'shared'],
  bin: ['bin', 'lib', 'functions', 'shared'],
  examples: ['examples', 'lib', 'functions', 'shared'],
};

/** What `domain/` may import: it computes, and leaves time, chance and the network to others. */
const PURE_ROOMS =
  /^shared\/(primitives|problems|config|csv|security\/(aes-gcm|secret-text)|http\/paging|json)/;
const IMPURE_PACKAGES = /^(@aws-sdk\/|@middy\/|undici|node:(fs|http|https|net|child_process))/;
const DOMAIN_TYPES = /^import type /;

/** Words of HTTP: routes, replies, requests. */
const HTTP_WORDS = /^shared\/http\/(route|reply|request|respond|parse)\.ts$/;
const HTTP_EDGE =
  /(\/api\/|\/platform\/|routes\.ts$|\/openapi\.ts$|\/declaration\.ts$|\/module\.ts$)/;

/** Files that see ports of other modules: what binds them, and routes, which list their problems. */
const PORT_USERS = /(\/(module|port|routes)\.ts$|\/api\/)/;

/** Where keys and items of the table are built. */
const KEY_PLACES = /(\/store\/|\/repository\.ts$|-repository\.ts$|-rows?\.ts$|-items\.ts$)/;
const BUILDS_A_KEY = /^(?!\s*(?:\/\/|\*|\/\*)).*\b(?:pk|sk|gsi[12][ps]k):(?! (?:string|Key)\b)/m;

const moduleOf = (path: string): string | undefined => /^functions\/([^/]+)\//.exec(path)?.[1];
const topOf = (path: string): string => path.slice(0, path.indexOf('/'));
const isProduct = ({ path }: SourceFile): boolean => /^(functions|shared|lib)\//.test(path);

/** The rules of `docs/architecture.md`. */
export const rules: readonly Rule[] = [
  {
    name: 'no import circle between files',
    wayOut: 'Move what both need (often a type) into a file that imports neither.',
    check: (code) => circles(fileGraph(code)).map((circle) => circle.join(' -> ')),
  },
  {
    name: 'no import circle between rooms',
    wayOut: 'Imports point downward only: move the shared part into the lower room, or pass it in.',
    check: (code) => circles(roomGraph(code)).map((circle) => describeCircle(circle, code)),
  },
  {
    name: `a room holds at most ${MAX_FILES} files`,
    wayOut: 'Give the files of one use case a folder whose name says what belongs there.',
    check: (code) =>
      [...Map.groupBy(code.keys(), (path) => dirname(path))]
        .filter(([room, { length }]) => length > limitOf(room))
        .map(([room, { length }]) => `${room} holds ${length} files, at most ${limitOf(room)}`),
  },
  {
    name: 'shared, functions, lib and bin import downward only',
    wayOut: 'shared knows no module; test tools live in test/. Use a port, or move the file.',
    check: (code) =>
      importsOf(code, ({ path }, target) => {
        const allowed = LAYERS[topOf(path)];
        return allowed !== undefined && !allowed.includes(topOf(target));
      }),
  },
  {
    name: 'lib reads of a module its declaration only',
    wayOut: 'Say it in the declaration.ts of the module.',
    check: (code) =>
      importsOf(
        code,
        ({ path }, target) =>
          path.startsWith('lib/') &&
          target.startsWith('functions/') &&
          !/\/declaration\.ts$/.test(target),
      ),
  },
  {
    name: 'shared names no module',
    wayOut: 'Let the module say it in its declaration.ts, and read the declaration.',
    check: (code) => {
      const modules = [...code.keys()].flatMap((path) => moduleOf(path) ?? []);
      const literal = new RegExp(`^(?!\\s*\\*).*'(${[...new Set(modules)].join('|')})'`, 'm');
      return [...code.values()]
        .filter(({ path }) => topOf(path) === 'shared' && !Object.hasOwn(OTHER_MEANING, path))
        .flatMap(({ path, text }) => {
          const name = modules.length > 0 && literal.exec(text)?.[1];
          return name ? [`${path} names ${name}`] : [];
        });
    },
  },
  {
    name: 'only lib and bin see the CDK',
    wayOut: 'Describe infrastructure in lib/; functions get its names from their environment.',
    check: (code) =>
      [...code.values()]
        .filter(({ path }) => /^(functions|shared)\//.test(path))
        .flatMap(({ path, packages }) =>
          packages
            .filter((name) => /^(aws-cdk-lib|constructs)(\/|$)/.test(name))
            .map((name) => `${path} imports ${name}`),
        ),
  },
  {
    name: 'a module imports of another its port.ts only',
    wayOut:
      'Offer a port there, and bind it in module.ts; the other files know the type in shared/ports.',
    check: (code) =>
      importsOf(code, ({ path }, target) => {
        const [from, to] = [moduleOf(path), moduleOf(target)];
        if (from === undefined || to === undefined || from === to) return false;
        return !PORT_USERS.test(path) || target !== `functions/${to}/port.ts`;
      }),
  },
  {
    name: 'modules bind ports of each other in one direction',
    wayOut: 'Publish an event where the answer is not needed, or move what both need into shared.',
    check: (code) => circles(moduleGraph(code)).map((circle) => circle.join(' -> ')),
  },
  {
    name: 'domain/ is pure',
    wayOut: 'Pass time, ids and what is read in as values; do the I/O in a service or in store/.',
    check: (code) => [
      ...importsOf(code, (file, target) => isImpureOfDomain(file, target)),
      ...[...code.values()]
        .filter(({ path }) => isDomain(path))
        .flatMap(({ path, packages }) =>
          packages
            .filter((name) => IMPURE_PACKAGES.test(name))
            .map((name) => `${path} imports ${name}`),
        ),
    ],
  },
  {
    name: 'words of HTTP stay in routes and api/',
    wayOut: 'Let the service return values and throw problems; the route makes the reply.',
    check: (code) =>
      importsOf(
        code,
        ({ path }, target) =>
          path.startsWith('functions/') && HTTP_WORDS.test(target) && !HTTP_EDGE.test(path),
      ),
  },
  {
    name: 'keys and items are built in store/, a repository.ts or a file of rows or items',
    wayOut: 'Export a function that makes the key or the item from there.',
    check: (code) =>
      [...code.values()]
        .filter((file) => isProduct(file) && topOf(file.path) !== 'lib')
        .filter(({ path, text }) => !KEY_PLACES.test(path) && BUILDS_A_KEY.test(text))
        .map(({ path, text }) => `${path}: ${BUILDS_A_KEY.exec(text)?.[0].trim()}`),
  },
];

const limitOf = (room: string): number =>
  Object.hasOwn(ROOMS_OF_ONE_IDEA, room) ? MAX_FILES_OF_ONE_IDEA : MAX_FILES;

function importsOf(
  code: CodeBase,
  isBroken: (file: SourceFile, target: string) => boolean,
): string[] {
  return [...code.values()].flatMap((file) =>
    file.files
      .filter((target) => isBroken(file, target))
      .map((target) => `${file.path} imports ${target}`),
  );
}

const isDomain = (path: string): boolean => /^functions\/[^/]+\/domain\//.test(path);

function isImpureOfDomain({ path, text }: SourceFile, target: string): boolean {
  if (!isDomain(path)) return false;
  const module = moduleOf(path);
  if (target.startsWith(`functions/${module}/domain/`)) return false;
  if (target === `functions/${module}/errors.ts` || PURE_ROOMS.test(target)) return false;
  return !isTypeOnly(text, basename(target));
}

/** Whether a file takes only types from another; types are gone at run time. */
function isTypeOnly(text: string, target: string): boolean {
  const statements = text.split(/;\n/).filter((statement) => statement.includes(`/${target}'`));
  return statements.every((statement) => DOMAIN_TYPES.test(statement.trimStart()));
}

function fileGraph(code: CodeBase): Graph {
  return new Map([...code].map(([path, { files }]) => [path, new Set(files)]));
}

/** Modules, and the modules that they import. */
function moduleGraph(code: CodeBase): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, files } of code.values()) {
    const from = moduleOf(path);
    if (from === undefined) continue;
    const targets = files.flatMap((file) => moduleOf(file) ?? []).filter((to) => to !== from);
    graph.set(from, new Set([...(graph.get(from) ?? []), ...targets]));
  }
  return graph;
}

function roomGraph(code: CodeBase): Graph {
  const roomOf = roomsOf(code);
  const graph = new Map<string, Set<string>>();
  for (const { path, files } of code.values()) {
    const room = roomOf(path);
    const targets = graph.get(room) ?? new Set();
    for (const target of files) if (roomOf(target) !== room) targets.add(roomOf(target));
    graph.set(room, targets);
  }
  return graph;
}

/** Names an import for each step of a circle. */
function describeCircle(circle: readonly string[], code: CodeBase): string {
  const roomOf = roomsOf(code);
  const steps = circle.map((room, index) => {
    const next = circle[(index + 1) % circle.length] ?? room;
    for (const { path, files } of code.values()) {
      const target = roomOf(path) === room && files.find((file) => roomOf(file) === next);
      if (target) return `${path} imports ${target}`;
    }
    return `${room} -> ${next}`;
  });
  return steps.join('; ');
}
