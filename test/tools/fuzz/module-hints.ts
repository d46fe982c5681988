import { CommandError } from '../../../bin/dev/terminal/command-error.ts';
import type { ModuleDeclaration } from '../../../shared/module/declaration.ts';
import type { FuzzException, FuzzPost, FuzzTarget } from '../../../shared/module/fuzz-hints.ts';
import type { OpenApiDocument } from '../../../shared/openapi/document.ts';

/** Where modules do on purpose what the fuzzer takes for a mistake. */
export function fuzzExceptions(modules: readonly ModuleDeclaration[]): FuzzException[] {
  return modules.flatMap(({ fuzz }) => fuzz?.exceptions ?? []);
}

/** Every operation that is led to data. */
export function targetedOperations(modules: readonly ModuleDeclaration[]): string[] {
  return modules.flatMap(({ fuzz }) => fuzz?.targetedOperations ?? []);
}

/** The modules that a platform has, by the description that it serves: those with an operation. */
export function describedModules(
  modules: readonly ModuleDeclaration[],
  { paths }: OpenApiDocument,
): ModuleDeclaration[] {
  const tags = new Set(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => operation.tags ?? []),
  );
  return modules.filter((module) => module.tags?.some(({ name }) => tags.has(name)));
}

/**
 * Lets modules make data, so that requests meet more than 404s.
 * @returns where the fuzzer finds it
 */
export async function makeFuzzTargets(
  modules: readonly ModuleDeclaration[],
  baseUrl: string,
  token: string,
): Promise<FuzzTarget[]> {
  const post = poster(baseUrl, token);
  const suffix = Date.now().toString(36);
  const targets = await Promise.all(
    modules.map(async ({ fuzz }) => (await fuzz?.prepare?.(post, suffix)) ?? []),
  );
  return targets.flat();
}

const poster =
  (baseUrl: string, token: string): FuzzPost =>
  async (path, body) => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok) return answer.json();
    throw new CommandError(
      `POST ${path} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
      'Correct what refuses the data that the fuzzer needs.',
    );
  };
