import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as entities from '../../../../functions/entities/port.ts';
import * as settings from '../../../../functions/settings/port.ts';
import * as templates from '../../../../functions/templates/port.ts';
import * as workflow from '../../../../functions/workflow/port.ts';
import { boundPorts } from '../../../../lib/configuration/ports.ts';
import { platformModules } from '../../../../lib/modules.ts';
import type { ModuleDeclaration } from '../../../../shared/module/declaration.ts';
import { items } from '../../../../shared/module/grants.ts';
import type { PortUse } from '../../../../shared/module/ports.ts';
import { readGrants } from '../../../helpers/grants/policy-grants.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';
import { aModule, plain, stackOf } from '../synthesise.ts';

const reason = 'Orders need it.';

/** The function of a module that binds ports, in a stack with those of the platform. */
function binding(uses: readonly PortUse[], svc = {}, others: readonly ModuleDeclaration[] = []) {
  const modules = [...platformModules, aModule({ uses }), ...others];
  const template = plain(Template.fromStack(stackOf(modules, { config: svc })));
  const variables = Object.values(template.Resources)
    .map(({ Properties = {} }) => Properties.Environment as { Variables: Record<string, string> })
    .find((environment) => environment?.Variables.SVC_MODULE === 'orders')?.Variables;
  const grants = readGrants(template).filter(
    ({ module, isForLambda }) => module === 'orders' && !isForLambda,
  );
  return {
    ports: JSON.parse(variables?.SVC_PORTS ?? '{}'),
    config: JSON.parse(variables?.SVC_CONFIG ?? '{}'),
    grants: grants.map(({ actions, resources, leadingKeys }) => ({
      actions,
      on: leadingKeys ?? resources,
    })),
  };
}

const aSecret = {
  actions: ['secretsmanager:GetSecretValue'],
  on: ['arn:aws:secretsmanager:*:*:secret:svc-cloud/*'],
};

interface Statement {
  readonly Action: unknown;
  readonly Resource: unknown;
}

/** What functions of the module `orders` may call: each is told the name of that function. */
function callsIn(template: Template): Record<string, readonly string[]> {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function')).map(
    ([id, { Properties }]) => {
      const { SVC_MODULE: name, SVC_SERVICES } = Properties.Environment.Variables;
      return {
        id,
        name,
        told: JSON.stringify(SVC_SERVICES),
        role: Properties.Role['Fn::GetAtt'][0],
      };
    },
  );
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const allowedTo = (role: string): string =>
    JSON.stringify(
      policies
        .filter(({ Properties }) => Properties.Roles[0].Ref === role)
        .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Statement[])
        .filter(({ Action }) => Action === 'lambda:InvokeFunction')
        .map(({ Resource }) => Resource),
    );
  const found = functions
    .filter(({ name }) => name.startsWith('orders'))
    .map(({ name, told, role }): [string, string[]] => {
      const called = functions.filter(({ id }) => allowedTo(role).includes(`"${id}"`));
      for (const { id } of called) expect(told).toContain(`{"Ref":"${id}"}`);
      return [name, called.map((each) => each.name)];
    });
  return Object.fromEntries(found.filter(([, called]) => called.length > 0));
}

describe('a function that binds a port', () => {
  it('may read the keys of a read-only one, those of its own ports included, and write none', () => {
    const { grants, ports } = binding([{ port: 'entities.records', reason }]);

    expect(ports).toEqual({ 'entities.records': true, 'settings.encryption': true });
    expect(grants).toEqual([
      { actions: ['dynamodb:BatchGetItem', 'dynamodb:Query'], on: ['DYN_*'] },
      { actions: ['dynamodb:GetItem'], on: ['DYN_*', 'setting#security.aes_secret'] },
      { actions: ['s3:GetObject'], on: ['bucket/entities/values/*'] },
      aSecret,
    ]);
  });

  it('may write the keys of a transactional one, and no others of its module', () => {
    const { grants } = binding([{ port: 'entities.record-writes', reason }]);
    const written = grants.filter(({ actions }) =>
      actions.some((action) => /dynamodb:(Put|Update|Delete|BatchWrite)/.test(action)),
    );

    expect(new Set(written.flatMap(({ on }) => on))).toEqual(new Set(['DYN_*', 'message#*']));
  });

  it('reaches only the names that it says', () => {
    const named = { port: 'settings.values', names: ['notify.*'], reason };

    expect(binding([named]).grants).toEqual([
      { actions: ['dynamodb:GetItem'], on: ['setting#notify.*', 'setting#security.aes_secret'] },
      aSecret,
    ]);
    expect(binding([{ ...named, names: [] }]).grants).toEqual([]);
  });

  it('calls what the port calls where that is on, and is told the names, in its jobs too', () => {
    const uses = [{ port: 'templates.documents', reason }];
    const render = { name: 'render', grants: () => [], uses };
    const calls = (engine: string, enabled = true) => {
      const config = { 'template.enabled': enabled, 'template.pdf-converter': engine };
      const orders = aModule({ uses, jobs: [render, { name: 'print', grants: () => [] }] });
      return callsIn(Template.fromStack(stackOf([...platformModules, orders], { config })));
    };

    expect(calls('libreoffice')).toEqual({
      orders: ['templates-pdf-libreoffice'],
      'orders-render': ['templates-pdf-libreoffice'],
    });
    expect(calls('chromium')).toMatchObject({ orders: ['templates-pdf-chromium'] });
    expect(calls('none')).toEqual({});
    expect(calls('libreoffice', false)).toEqual({});
  });

  it('has the section of the module that offers it', () => {
    const prefix = { 'dynamic.permission-prefix': 'shop' };

    expect(binding([{ port: 'entities.records', reason }], prefix).config).toMatchObject({
      dynamic: { 'permission-prefix': 'shop' },
    });
    expect(binding([], prefix).config).not.toHaveProperty('dynamic');
  });

  it('is told that the module is off, and has no grants for it', () => {
    const off = binding([{ port: 'entities.record-writes', reason }], { 'dynamic.enabled': false });

    expect(off.ports).toMatchObject({ 'entities.record-writes': false });
    expect(off.grants.flatMap(({ on }) => on).join()).not.toContain('DYN_');
  });

  it.each([
    [[{ port: 'entities.recrods', reason }], 'PORT_UNKNOWN'],
    [[{ port: 'stock.levels', reason }], 'PORT_WRITES'],
    [[{ port: 'stock.labels', reason }], 'PORT_WRITES'],
  ])('is refused %j: %s', (uses, code) => {
    const stock = aModule({
      name: 'stock',
      paths: () => ['/api/v1/stock'],
      offers: [
        {
          name: 'stock.levels',
          access: 'read-only',
          grants: () => [items(['STOCK#*'], ['GetItem', 'UpdateItem'], 'Levels.')],
        },
        { name: 'stock.labels', access: 'read-only', grants: () => [], calls: ['print'] },
      ],
    });

    expect(() => binding(uses, {}, [stock])).toThrow(code);
  });
});

describe('ports that bind each other', () => {
  const boundBy = (name: string, ...ports: readonly string[]) =>
    aModule({
      name: name.split('.')[0] ?? name,
      offers: [
        {
          name,
          access: 'read-only',
          grants: () => [],
          uses: ports.map((port) => ({ port, reason })),
        },
      ],
    });

  it.each([
    [[boundBy('stock.levels', 'stock.levels')]],
    [[boundBy('stock.levels', 'goods.names'), boundBy('goods.names', 'stock.levels')]],
  ])('are refused, for none of them could be built', (others) => {
    const uses = [{ port: 'stock.levels', reason }];
    const modules = [...platformModules, aModule({ uses }), ...others];

    expect(() => boundPorts({ uses }, modules, loadConfig({}))).toThrow('PORT_CIRCLE');
  });

  it('are no circle when both bind a third one', () => {
    const uses = [{ port: 'stock.levels', reason }];
    const others = [
      boundBy('stock.levels', 'goods.names', 'settings.values'),
      boundBy('goods.names', 'settings.values'),
    ];

    const { states } = boundPorts({ uses }, [...platformModules, ...others], loadConfig({}));

    expect(Object.keys(states)).toEqual(['stock.levels', 'goods.names', 'settings.values']);
  });
});

describe('the ports in code', () => {
  it('are those of the declarations', () => {
    const inCode = [settings, entities, templates, workflow].flatMap((module) =>
      Object.values(module).flatMap((port) =>
        'access' in port ? [{ name: port.name, access: port.access }] : [],
      ),
    );
    const offered = platformModules.flatMap(({ offers = [] }) =>
      offers.map(({ name, access }) => ({ name, access })),
    );

    const byName = (one: { name: string }, other: { name: string }) =>
      one.name.localeCompare(other.name);
    expect(inCode.sort(byName)).toEqual(offered.sort(byName));
  });
});
