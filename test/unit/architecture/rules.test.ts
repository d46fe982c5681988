import { describe, expect, it } from 'vitest';
import { codeBaseOf } from '../../tools/architecture/code-base.ts';
import { rules } from '../../tools/architecture/rules.ts';

/** What each rule says about code that breaks it. */
const broken: Record<string, { files: Record<string, string>; says: string }> = {
  'no import circle between files': {
    files: {
      'shared/a.ts': "import type { B } from './b.ts';",
      'shared/b.ts': "import type { A } from './a.ts';",
    },
    says: 'shared/a.ts -> shared/b.ts',
  },
  'no import circle between rooms': {
    files: {
      'shared/http/a.ts': "import type { B } from '../store/b.ts';",
      'shared/http/d.ts': '',
      'shared/store/b.ts': '',
      'shared/store/c.ts': "import type { D } from '../http/d.ts';",
    },
    says: 'shared/http/a.ts imports shared/store/b.ts; shared/store/c.ts imports shared/http/d.ts',
  },
  'a room holds at most 15 files': {
    files: Object.fromEntries(
      Array.from({ length: 16 }, (_, index) => [`shared/http/f${index}.ts`, '']),
    ),
    says: 'shared/http holds 16 files, at most 15',
  },
  'shared, functions, lib and bin import downward only': {
    files: {
      'shared/http/a.ts': "import { x } from '../../functions/settings/x.ts';",
      'functions/settings/x.ts': '',
    },
    says: 'shared/http/a.ts imports functions/settings/x.ts',
  },
  'lib reads of a module its declaration only': {
    files: {
      'lib/a.ts': "import { x } from '../functions/settings/service.ts';",
      'functions/settings/service.ts': '',
    },
    says: 'lib/a.ts imports functions/settings/service.ts',
  },
  'shared names no module': {
    files: {
      'shared/config/a.ts': "if (name === 'settings') return;",
      'shared/config/b.ts': "/** What\n * 'settings' are. */",
      'functions/settings/module.ts': '',
    },
    says: 'shared/config/a.ts names settings',
  },
  'only lib and bin see the CDK': {
    files: { 'shared/a.ts': "import { Stack } from 'aws-cdk-lib/core';" },
    says: 'shared/a.ts imports aws-cdk-lib/core',
  },
  'a module imports of another its port.ts only': {
    files: {
      'functions/settings/module.ts': "import { x } from '../entities/index.ts';",
      'functions/settings/routes.ts': "import { y } from '../entities/port.ts';",
      'functions/entities/index.ts': '',
      'functions/entities/port.ts': '',
    },
    says: 'functions/settings/module.ts imports functions/entities/index.ts',
  },
  'modules bind ports of each other in one direction': {
    files: {
      'functions/settings/module.ts': "import { x } from '../entities/port.ts';",
      'functions/settings/port.ts': '',
      'functions/entities/module.ts': "import { y } from '../settings/port.ts';",
      'functions/entities/port.ts': '',
    },
    says: 'settings -> entities',
  },
  'domain/ is pure': {
    files: {
      'functions/settings/domain/a.ts': "import { x } from '../service.ts';",
      'functions/settings/domain/b.ts': "import type { X } from '../service.ts';",
      'functions/settings/service.ts': '',
    },
    says: 'functions/settings/domain/a.ts imports functions/settings/service.ts',
  },
  'words of HTTP stay in routes and api/': {
    files: {
      'functions/settings/service.ts': "import { route } from '../../shared/http/route.ts';",
      'functions/settings/routes.ts': "import { route } from '../../shared/http/route.ts';",
      'shared/http/route.ts': '',
    },
    says: 'functions/settings/service.ts imports shared/http/route.ts',
  },
  'keys and items are built in store/, a repository.ts or a file of rows or items': {
    files: {
      'functions/settings/service.ts': 'const key = { pk: name, sk: name };',
      'functions/settings/repository.ts': 'const key = { pk: name, sk: name };',
      'functions/settings/views.ts': 'interface Row {\n  readonly sk: string;\n}',
    },
    says: 'functions/settings/service.ts: const key = { pk: name, sk:',
  },
};

describe('the rules of the architecture', () => {
  it('are all shown here', () => {
    expect(Object.keys(broken)).toEqual(rules.map(({ name }) => name));
  });

  it.each(rules)('say where "$name" is broken, there only', ({ name, check, wayOut }) => {
    const { files = {}, says } = broken[name] ?? {};
    expect(check(codeBaseOf(files))).toEqual([says]);
    expect(wayOut).not.toBe('');
  });

  it('see packages that domain/ must not use', () => {
    const code = codeBaseOf({
      'functions/settings/domain/a.ts': "import { readFileSync } from 'node:fs';",
    });
    expect(rules.flatMap(({ check }) => check(code))).toEqual([
      'functions/settings/domain/a.ts imports node:fs',
    ]);
  });

  it('take a file beside folders as a room of its own', () => {
    const code = codeBaseOf({
      'functions/settings/module.ts': "import { a } from './domain/a.ts';",
      'functions/settings/domain/a.ts': "import { e } from '../errors.ts';",
      'functions/settings/errors.ts': '',
    });
    expect(rules.flatMap(({ check }) => check(code))).toEqual([]);
  });
});
