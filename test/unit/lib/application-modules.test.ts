import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { NotesStack } from '../../../examples/notes-module/app.ts';
import { notesSection } from '../../../examples/notes-module/configuration.ts';
import { notes } from '../../../examples/notes-module/declaration.ts';
import { bundleFunctions, functionEntries } from '../../../lib/bundling/bundle.ts';
import { buildApiDescription, describedModule } from '../../../lib/bundling/openapi.ts';
import { loadSvcConfig } from '../../../lib/configuration/svc-config.ts';
import { defineSection } from '../../../shared/config/index.ts';
import { readGrants } from '../../helpers/grants/policy-grants.ts';
import { aModule, plain, standaloneTemplate, temporaryFolder } from './synthesise.ts';

const messageOf = (work: () => unknown): string => {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

type Variables = Readonly<Record<string, string>>;

function environments(template: Template): Record<string, Variables> {
  return Object.fromEntries(
    Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => {
      const { Variables } = Properties.Environment;
      return [Variables.SVC_MODULE, Variables];
    }),
  );
}

describe('a module of an application', () => {
  const outdir = temporaryFolder();
  const template = Template.fromStack(new NotesStack(new App({ outdir }), 'Notes'));
  const variables = environments(template);

  it('has a function, routes, a queue and grants of its own', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
      ({ Properties }) => Properties.RouteKey,
    );
    const queues = template.findResources('AWS::SQS::Queue');
    const grants = readGrants(plain(template)).filter(({ module }) => module === 'notes');

    expect(routes).toEqual(
      expect.arrayContaining(['ANY /api/v1/notes', 'ANY /api/v1/notes/{proxy+}']),
    );
    expect(JSON.stringify(grants)).toContain('NOTE#*');
    expect(JSON.stringify(grants)).not.toContain('setting#*');
    // In process there is a bus for distributed topics only: the listener runs where notes are added.
    expect(JSON.stringify(queues)).not.toContain('notes-counter');
    template.hasResourceProperties('AWS::Lambda::Function', { MemorySize: 512 });
  });

  it('gets its section of the configuration, and others do not', () => {
    expect(JSON.parse(variables.notes?.SVC_CONFIG ?? '')).toEqual({
      notes: { 'max-length': 500 },
    });
    expect(variables.messaging?.SVC_CONFIG).not.toContain('notes');
    expect(JSON.parse(variables.settings?.SVC_CONFIG ?? '')).toMatchObject({
      'notes.max-length': 500,
    });
    expect(JSON.parse(variables.settings?.SVC_MODULES_ON ?? '')).toContain('notes');
  });

  it('is bundled from its folder', () => {
    const [entry] = functionEntries([notes]);

    expect(entry).toMatchObject({
      name: 'notes',
      entry: expect.stringMatching(/examples\/notes-module\/handler\.ts$/),
    });
  });

  it('loads no section of other modules but of the one whose ports it binds', () => {
    const folder = temporaryFolder();
    const { inputs } = bundleFunctions(functionEntries([notes]), { outdir: folder });

    expect(existsSync(join(folder, 'notes/index.mjs'))).toBe(true);
    const sections = Object.keys(inputs).filter((path) => path.endsWith('/configuration.ts'));
    expect(sections).toEqual([
      'functions/entities/configuration.ts',
      'examples/notes-module/configuration.ts',
    ]);
    expect(Object.keys(inputs)).not.toContain('examples/notes-module/declaration.ts');
  });

  it('is described with its operations', () => {
    const { paths, tags } = buildApiDescription(describedModule(notes));

    expect(Object.keys(paths)).toEqual(['/api/v1/notes', '/api/v1/notes/{noteId}']);
    expect(tags.map(({ name }) => name)).toEqual(['Notes']);
  });

  it('changes nothing for an application without it', () => {
    expect(environments(standaloneTemplate())).not.toHaveProperty('notes');
    expect(messageOf(() => loadSvcConfig({ 'notes.max-length': 5 }))).toContain(
      'CONFIG_UNKNOWN_PROPERTY',
    );
  });
});

describe('a wrong module of an application', () => {
  it.each([
    [{ 'notes.max-lenth': 5 }, 'svc.notes.max-length'],
    [{ 'notes.max-length': 0 }, 'svc.notes.max-length: must be 1 to 10000; it is 0'],
    [{ 'mq.message-table': 'NOTE' }, 'MQ_TABLE_TAKEN'],
  ])('is told what %j breaks', (raw, expected) => {
    expect(messageOf(() => loadSvcConfig(raw, { modules: [notes] }))).toContain(expected);
  });

  it.each([
    ['section', { configuration: defineSection({ ...notesSection, name: 'mq' }) }, 'svc.mq: '],
    ['key prefix', { keyPrefixes: ['setting'] }, 'KEY_PREFIX_TWICE'],
    ['key prefix below another', { keyPrefixes: ['DYN_NOTE'] }, 'KEY_PREFIX_TWICE'],
    ['shared key prefix', { keyPrefixes: ['IDEM'] }, 'KEY_PREFIX_TWICE'],
  ])('may not take the %s of another', (_what, claim, expected) => {
    const greedy = { ...notes, ...claim };

    expect(messageOf(() => loadSvcConfig({}, { modules: [greedy] }))).toContain(expected);
  });

  it('may not have the name of another', () => {
    const twin = aModule({ name: 'settings' });
    const app = () => standaloneTemplate({ modules: [twin] });

    expect(messageOf(app)).toContain('MODULE_TWICE');
  });

  it('may not name a tag that it does not declare', () => {
    const untagged = describedModule({ ...notes, tags: [] });

    expect(messageOf(() => buildApiDescription(untagged))).toContain('addNote');
  });
});
