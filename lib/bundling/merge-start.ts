import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

type Outputs = Metafile['outputs'];
type Output = Outputs[string];

/** The files that Node reads to import a bundle: the bundle, and what it and they import at the top. */
export function filesAtStart(outputs: Outputs, bundle: string): string[] {
  const files = new Set<string>([bundle]);
  for (const file of files) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && !external) files.add(path);
    }
  }
  return [...files];
}

/**
 * Puts all files that a bundle imports at its start into the bundle: opening one takes as long as compiling 3 KB. Files
 * that are loaded later import from the bundle what they shared with it.
 * @param outputs minified files of one function, without source maps.
 * @param options those that the files were written with.
 * @returns what the outputs are after that.
 */
export function mergeStart(outputs: Outputs, options: BuildOptions): Outputs {
  const bundle = Object.keys(outputs).find((file) => basename(file) === 'index.mjs');
  if (bundle === undefined) return outputs;
  const shared = filesAtStart(outputs, bundle).filter((file) => file !== bundle);
  if (shared.length === 0) return outputs;
  const start = new Set([bundle, ...shared]);
  const later = Object.keys(outputs).filter((file) => !start.has(file));
  const place = (file: string): string => resolve(options.absWorkingDir ?? '.', file);
  const names = new Map(shared.map((file, index) => [basename(file), `s${index}`]));

  for (const file of start) dropBanner(place(file), options);
  const { outputFiles } = buildSync({
    ...options,
    absWorkingDir: dirname(place(bundle)),
    stdin: {
      contents: reexport(bundle, shared, outputs, names),
      resolveDir: dirname(place(bundle)),
    },
    entryPoints: [],
    outfile: place(bundle),
    outdir: undefined,
    external: [...(options.external ?? []), ...later.map((file) => `./${basename(file)}`)],
    alias: {},
    inject: [],
    define: {},
    // A package.json beside the files may declare that they have no side effects.
    ignoreAnnotations: true,
    metafile: false,
    write: false,
  });
  const [merged] = outputFiles ?? [];
  if (!merged) throw new Error(`Nothing was written for ${bundle}`);
  writeFileSync(place(bundle), merged.contents);
  for (const file of shared) rmSync(place(file));
  for (const file of later) importFromBundle(place(file), names);
  return mergedOutputs(outputs, bundle, { start, later, bytes: merged.contents.length });
}

function dropBanner(file: string, { banner }: BuildOptions): void {
  const text = readFileSync(file, 'utf8');
  const first = banner?.js ?? '';
  if (text.startsWith(first)) writeFileSync(file, text.slice(first.length));
}

/** A file that exports what the bundle does, and under a name of its own what any of the others does. */
function reexport(
  bundle: string,
  shared: readonly string[],
  outputs: Outputs,
  names: ReadonlyMap<string, string>,
): string {
  const lines = shared.map((file) => {
    const exported = (outputs[file]?.exports ?? []).map(
      (name) => `${name} as ${names.get(basename(file))}_${name}`,
    );
    return `export {${exported.join()}} from './${basename(file)}';`;
  });
  return [`export * from './${basename(bundle)}';`, ...lines].join('\n');
}

const IMPORT = /\bimport(?:\{([^{}]*)\}from)?"\.\/([\w-]+\.mjs)"/g;

/** Rewrites the imports of a file that is loaded later. */
function importFromBundle(file: string, names: ReadonlyMap<string, string>): void {
  const text = readFileSync(file, 'utf8').replace(
    IMPORT,
    (statement, members: string | undefined, from: string) => {
      const prefix = names.get(from);
      if (prefix === undefined) return statement;
      if (members === undefined) return 'import"./index.mjs"';
      const renamed = members.split(',').map((member) => {
        const [name, as = name] = member.split(' as ');
        return `${prefix}_${name} as ${as}`;
      });
      return `import{${renamed.join()}}from"./index.mjs"`;
    },
  );
  const left = [...names.keys()].find((name) => text.includes(`"./${name}"`));
  if (left) throw new Error(`${file} loads ${left}, which the start of its function holds`);
  writeFileSync(file, text);
}

interface Merged {
  readonly start: ReadonlySet<string>;
  readonly later: readonly string[];
  readonly bytes: number;
}

function mergedOutputs(outputs: Outputs, bundle: string, { start, later, bytes }: Merged): Outputs {
  const files = [...start].flatMap((file) => outputs[file] ?? []);
  const whole: Output = {
    ...files[0],
    bytes,
    inputs: Object.assign({}, ...files.map(({ inputs }) => inputs)),
    imports: files.flatMap(({ imports }) => imports).filter(({ path }) => !start.has(path)),
    exports: files[0]?.exports ?? [],
  };
  const others = later.flatMap((file): [string, Output][] => {
    const output = outputs[file];
    if (!output) return [];
    const imports = output.imports.map((each) =>
      start.has(each.path) ? { ...each, path: bundle } : each,
    );
    return [[file, { ...output, imports }]];
  });
  return Object.fromEntries([[bundle, whole], ...others]);
}
