import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bundleFunctions, functionEntries } from '../../../lib/bundling/bundle.ts';
import { loadSvcConfig } from '../../../lib/configuration/svc-config.ts';
import { checkPaths } from '../../../lib/module-checks.ts';
import { modulesOf } from '../../../lib/module-list.ts';
import { defineSection } from '../../../shared/config/index.ts';
import type { ModuleDeclaration } from '../../../shared/module/declaration.ts';
import { aModule, stackOf, temporaryFolder } from './synthesise.ts';

const messageOf = (work: () => unknown): string => {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};
const job = (name: string) => ({ name, grants: () => [] });
const twoOf = (one: object, other: object = {}): unknown[] => [
  aModule({ name: 'orders', ...one }),
  aModule({ name: 'sales', paths: () => ['/api/v1/sales'], ...other }),
];
const list = (modules: unknown) =>
  modulesOf({ platformModules: [], modules: modules as readonly ModuleDeclaration[] });

describe('a declaration of a wrong form', () => {
  it.each<[string, unknown]>([
    ['MODULES_INVALID', 'notes'],
    ['MODULES_INVALID', { notes: aModule() }],
    ['module modules[0]', [undefined]],
    ['module modules[0]', ['notes']],
    ['module modules[0]', [[aModule()]]],
    ['module modules[1]: grants: must be a function', [aModule(), {}]],
  ])('is %s as the list of modules', (expected, modules) => {
    expect(messageOf(() => list(modules))).toContain(expected);
  });

  it.each<[string, object]>([
    ['name: must be lower-case', { name: 'Api' }],
    ['name: must be lower-case', { name: '../x' }],
    ['name: must be lower-case', { name: '' }],
    ['name: must not end with -services', { name: 'orders-services' }],
    ['folder: must be absolute: import.meta.dirname', { folder: 'modules/orders' }],
    ['paths: must be a function', { paths: undefined }],
    ['grants: must be a function', { grants: undefined }],
    ['listeners.0.group: must be 1 to 40', { listeners: [{ topic: 'a', group: 'g h!' }] }],
    ['listeners.0.topic', { listeners: [{ topic: '', group: 'g' }] }],
    ['schedules.0.expression', { schedules: [{ task: 'a', expression: 'every day' }] }],
    ['schedules.0.expression', { schedules: [{ task: 'a', expression: 'rate(1 minutes)' }] }],
    ['schedules.0.expression', { schedules: [{ task: 'a', expression: 'rate(0 minutes)' }] }],
    [
      'schedules: holds a name twice',
      { schedules: Array(2).fill({ task: 'a', expression: 'rate(1 day)' }) },
    ],
    [
      'stateMachines: holds a name twice',
      { stateMachines: Array(2).fill({ name: 'a', definitionFile: 'a' }) },
    ],
    ['jobs: holds a name twice', { jobs: [job('a'), job('a')] }],
    ['jobs.0.name: must be lower-case', { jobs: [job('A')] }],
    ['jobs.0.grants: must be a function', { jobs: [{ name: 'a' }] }],
    ['expiringFiles', { expiringFiles: { '': 1 } }],
    ['expiringFiles', { expiringFiles: { orders: 1 } }],
    ['expiringFiles', { expiringFiles: { 'orders/': 0 } }],
    ['expiringFiles', { expiringFiles: { 'orders/': 1.5 } }],
    ['keyPrefixes.0', { keyPrefixes: [''] }],
    ['keyPrefixes.0', { keyPrefixes: ['A#B'] }],
    ['keyPrefixes: holds a name twice', { keyPrefixes: ['A', 'A'] }],
    ['memoryMb', { memoryMb: 1 }],
    ['timeoutSeconds', { timeoutSeconds: 9_000 }],
    ['tempSpaceMb', { tempSpaceMb: 1 }],
    ['configuration.schema', { configuration: { name: 'x', check: () => [] } }],
    [
      'configuration.schema',
      {
        configuration: {
          ...defineSection({ name: 'x', schema: z.strictObject({}) }),
          schema: z.string(),
        },
      },
    ],
    [
      'configuration.name',
      { configuration: defineSection({ name: 'a.b', schema: z.strictObject({}) }) },
    ],
  ])('is told what is wrong: %s', (expected, more) => {
    const message = messageOf(() =>
      stackOf([], { modules: [aModule(more as Partial<ModuleDeclaration>)] }),
    );

    expect(message).toContain(expected);
    expect(message).toContain('MODULE_INVALID');
  });

  it.each(['rate(1 minute)', 'rate(5 minutes)', 'rate(12 hours)', 'cron(0 2 ? * MON-FRI *)'])(
    'is not one with the schedule %s',
    (expression) => {
      expect(messageOf(() => list([aModule({ schedules: [{ task: 'a', expression }] })]))).toBe('');
    },
  );
});

describe('two declarations', () => {
  it.each<[string, unknown[]]>([
    ['MODULE_TWICE', twoOf({}, { name: 'orders' })],
    ['FUNCTION_TWICE', twoOf({ jobs: [job('x')] }, { name: 'orders-x' })],
    ['ROLE_TWICE', twoOf({ answersUnknownPaths: true }, { answersUnknownPaths: true })],
    ['ROLE_TWICE', twoOf({ runsHostListeners: true }, { runsHostListeners: true })],
    ['FILES_TWICE', twoOf({ expiringFiles: { 'a/': 1 } }, { expiringFiles: { 'a/': 90 } })],
    ['FILES_TWICE', twoOf({ expiringFiles: { 'a/b/': 1 } }, { expiringFiles: { 'a/': 90 } })],
    ['FILES_TWICE', twoOf({ expiringFiles: { 'a/b/': 1 } }, { expiringFiles: { 'a-b/': 1 } })],
    ['FILES_TWICE', twoOf({ expiringFiles: { 'outbox/dead/': 1 } })],
  ])('are refused with %s', (code, modules) => {
    expect(messageOf(() => list(modules))).toContain(code);
  });

  it('may each have files and jobs of their own', () => {
    const files = [
      { expiringFiles: { 'orders/': 1 }, jobs: [job('x')] },
      { expiringFiles: { 'sales/': 1 } },
    ] as const;

    expect(list(twoOf(...files))).toHaveLength(2);
  });
});

describe('paths', () => {
  const check = (...all: Partial<ModuleDeclaration>[]) =>
    messageOf(() =>
      checkPaths(
        all.map((more) => aModule(more as object)) as ModuleDeclaration[],
        loadSvcConfig({}),
      ),
    );

  it.each(['', '/', 'api', '/api/', '/api//x', '/a b', '/a?x', '/{id}', '/{proxy+}', '/%61'])(
    'are refused when they are no words after slashes: %j',
    (path) => {
      expect(check({ paths: () => [path] })).toContain('PATH_INVALID');
      expect(check({ fallbackPaths: () => [path] })).toContain('PATH_INVALID');
    },
  );

  it('are refused when they are no list', () => {
    expect(check({ paths: () => '/api' as unknown as string[] })).toContain('PATH_INVALID');
  });

  it.each<[string, Partial<ModuleDeclaration>[]]>([
    ['one module twice', [{ paths: () => ['/a', '/a'] }]],
    [
      'two modules as fallback',
      [
        { paths: () => ['/a'], fallbackPaths: () => ['/x'] },
        { paths: () => ['/b'], fallbackPaths: () => ['/x'] },
      ],
    ],
    [
      'a module and as fallback of another',
      [{ paths: () => ['/a'], fallbackPaths: () => ['/b'] }, { paths: () => ['/b'] }],
    ],
  ])('are refused when they belong to %s', (_what, modules) => {
    expect(check(...modules)).toContain('PATH_TAKEN');
  });

  it('may be above others as fallback', () => {
    expect(check({ paths: () => ['/a/b', '/a/c.d'], fallbackPaths: () => ['/a'] })).toBe('');
  });
});

describe('a module without its handler', () => {
  it('is named with the file that it needs', () => {
    const entries = functionEntries([aModule({ folder: '/nowhere/orders' })]);

    const message = messageOf(() => bundleFunctions(entries, { outdir: temporaryFolder() }));

    expect(message).toContain('function orders: needs the file /nowhere/orders/handler.ts');
    expect(message).toContain('HANDLER_MISSING');
  });
});
