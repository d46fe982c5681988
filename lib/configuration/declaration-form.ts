import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { GROUP_PATTERN } from '../../shared/messaging/wire/topology.ts';
import type { ModuleDeclaration } from '../../shared/module/declaration.ts';
import { problem } from './configuration.ts';

/** Name of a function: part of resource names, of folders and of environment variables. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const SCHEDULE =
  /^(?:rate\((?:1 (?:minute|hour|day)|(?!1 |0)\d{1,6} (?:minutes|hours|days))\)|cron\(\S+(?: \S+){5}\))$/;

const callable = z.custom<() => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
);

const functionName = z
  .string()
  .max(40)
  .regex(NAME, 'must be lower-case words of letters and digits with - between them')
  .refine((name) => !name.endsWith('-services'), 'must not end with -services');

const size = {
  memoryMb: z.int().min(128).max(10_240).optional(),
  timeoutSeconds: z.int().min(1).max(900).optional(),
  reservedConcurrency: z.int().min(0).optional(),
  reservedConcurrencyFor: callable.optional(),
  tempSpaceMb: z.int().min(512).max(10_240).optional(),
  grants: callable,
};

/** A zod object of whichever copy of zod the application has. */
const section = z.looseObject({
  name: z
    .string()
    .regex(NAME, 'must be lower-case words of letters and digits with - between them'),
  schema: z.custom(
    (value) =>
      typeof value === 'object' && value !== null && 'prefault' in value && 'shape' in value,
    'must be a z.strictObject',
  ),
  check: callable,
});

/** A list whose members have names of their own. */
const named = <T extends z.ZodType>(member: T, nameOf: (value: z.output<T>) => string) =>
  z.array(member).refine((all) => new Set(all.map(nameOf)).size === all.length, {
    error: 'holds a name twice',
  });

const declaration = z.looseObject({
  ...size,
  name: functionName,
  deliveredAs: z.string().min(1),
  folder: z.string().refine(isAbsolute, 'must be absolute: import.meta.dirname').optional(),
  configuration: section.optional(),
  enabled: callable.optional(),
  paths: callable,
  fallbackPaths: callable.optional(),
  privatePaths: callable.optional(),
  routeLimits: callable.optional(),
  keyPrefixes: named(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_-]*\*?$/, 'must be a word, or the beginning of one and *'),
    (prefix) => prefix,
  ).optional(),
  listeners: z
    .array(
      z.looseObject({
        topic: z.string().min(1).max(128),
        group: z
          .string()
          .regex(GROUP_PATTERN, 'must be 1 to 40 letters, digits, - and _')
          .refine((group) => !group.endsWith('-dead'), 'must not end with -dead'),
      }),
    )
    .optional(),
  schedules: named(
    z.looseObject({
      task: z.string().min(1),
      expression: z
        .string()
        .regex(SCHEDULE, 'must be rate(...) or cron(...) as EventBridge reads it'),
    }),
    ({ task }) => task,
  ).optional(),
  stateMachines: named(
    z.looseObject({
      name: z.string().regex(/^[A-Za-z0-9_-]{1,60}$/, 'must be 1 to 60 letters, digits, - and _'),
      definitionFile: z.string().min(1),
    }),
    ({ name }) => name,
  ).optional(),
  jobs: named(z.looseObject({ ...size, name: functionName }), ({ name }) => name).optional(),
  calls: z.array(functionName).optional(),
  expiringFiles: z
    .record(
      z.string().regex(/^(?:[\w.-]+\/)+$/, 'must be a folder that ends with /'),
      z.int().min(1),
    )
    .optional(),
});

/**
 * Checks the form of declarations that come from JavaScript or past the type checker.
 * @throws ConfigError `MODULES_INVALID`, `MODULE_INVALID` naming module, member and rule
 */
export function checkForm(modules: unknown): readonly ModuleDeclaration[] {
  if (!Array.isArray(modules)) {
    throw problem('MODULES_INVALID', 'modules', 'must be a list of declarations');
  }
  for (const [at, module] of modules.entries()) {
    const { error } = declaration.safeParse(module);
    const [issue] = error?.issues ?? [];
    if (!issue) continue;
    const name: unknown = module?.name;
    const owner = typeof name === 'string' && name !== '' ? name : `modules[${at}]`;
    const member = issue.path.map(String).join('.');
    throw problem(
      'MODULE_INVALID',
      `module ${owner}`,
      `${member ? `${member}: ` : ''}${issue.message}`,
    );
  }
  return modules;
}
