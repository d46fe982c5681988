import { Stack } from 'aws-cdk-lib/core';
import { jobFunctionName, type ModuleDeclaration } from '../../shared/module/declaration.ts';
import type { ModuleFunction } from '../functions/module-function.ts';

/** Functions that another one calls, by the name in its environment. */
type CalledFunctions = ReadonlyMap<string, ModuleFunction>;

/** The jobs that a module's own function calls; those that are off are not among them. */
export const jobsCalledBy = (
  module: ModuleDeclaration,
  functions: CalledFunctions,
): CalledFunctions =>
  new Map(
    (module.calls ?? []).flatMap((name) => {
      const called = functions.get(jobFunctionName(module, { name }));
      return called ? [[name, called] as const] : [];
    }),
  );

/** Those of the functions that there are. */
export const namedIn = (functions: CalledFunctions, names: readonly string[]): CalledFunctions =>
  new Map(
    names.flatMap((name) => {
      const found = functions.get(name);
      return found ? [[name, found] as const] : [];
    }),
  );

export const functionNames = (called: CalledFunctions): Readonly<Record<string, string>> =>
  Object.fromEntries([...called].map(([name, each]) => [name, each.function.functionName]));

/** Grants a job the calls of its ports, and puts the names into its environment. */
export function tellCalled(job: ModuleFunction | undefined, called: CalledFunctions): void {
  if (!job || called.size === 0) return;
  for (const each of called.values()) job.mayCall(each);
  const facts = Stack.of(job).toJsonString({ functions: functionNames(called) });
  job.function.addEnvironment('SVC_SERVICES', facts);
}
