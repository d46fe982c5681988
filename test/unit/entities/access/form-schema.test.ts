import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { anEntitiesApi, RECORDS } from '../entities-api.ts';

type Decisions = Readonly<Record<string, boolean | PermissionDecision>>;
const only = (...fields: string[]): PermissionDecision => ({ allowed: true, fields });

const schema = {
  type: 'object',
  required: ['name', 'salary', 'grade'],
  'x-label': 'name',
  'x-tree-order': 'salary',
  'x-indexes': [
    ['name', 'grade'],
    ['name', 'salary'],
  ],
  'x-unique': [['name', 'salary']],
  properties: {
    name: { type: 'string', title: 'The salary is not shown', 'x-reactions': '{{$form.salary}}' },
    grade: { type: 'integer', default: 1, $ref: '#/$defs/grade', 'x-rule': 'grade > 0' },
    salary: { type: 'integer', maximum: 9_999, $ref: '#/$defs/pay' },
    group: {
      type: 'void',
      title: 'Pay',
      properties: { bonus: { type: 'integer', title: 'Bonus' } },
    },
  },
  if: { properties: { salary: { minimum: 5_000 } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['grade'] },
  allOf: [{ required: ['name'] }, { required: ['salary'] }],
  dependentRequired: { salary: ['grade'], name: ['grade'] },
  'x-formula': 'bonus * 2',
  $defs: { grade: { minimum: 0 }, pay: { minimum: 1_200 } },
};
const uiSchema = {
  'ui:order': ['name', 'salary', 'grade'],
  salary: { 'ui:widget': 'money' },
  name: { 'ui:help': 'as in the contract', 'ui:options': { watches: 'salary' } },
};

async function formFor(decisions: Decisions, document: object = { schema, uiSchema }) {
  const open = anEntitiesApi();
  const defined = await open.define({
    ...{ code: 'person', name: 'Person', apiPath: 'people', requirePermission: true },
    uiSchemaJson: document,
  });
  expect(defined.status, defined.text).toBe(201);
  const hasPermission = (_who: unknown, _target: string, action: string) =>
    decisions[action] ?? false;
  const { get } = anEntitiesApi({
    besides: open.context,
    host: { permissionEvaluator: { hasPermission } },
  });
  return get(`${RECORDS}/person/schema`);
}

const codesOf = ({ body }: Awaited<ReturnType<typeof formFor>>) =>
  (body.fields as { code: string }[]).map(({ code }) => code);

describe('the form of an entity', () => {
  it('is whole for who may see and write everything', async () => {
    const form = await formFor({ view: true, add: true, edit: true });

    expect(form.body).toMatchObject({ schema, uiSchema });
  });

  it('names no hidden field', async () => {
    const form = await formFor({ view: only('name', 'grade') });
    const { title, ...name } = schema.properties.name;

    expect(form.text.replaceAll(title, '')).not.toMatch(/salary|bonus|money|1200|9999/);
    expect(form.body).toMatchObject({
      schema: {
        required: ['name', 'grade'],
        'x-indexes': [['name', 'grade']],
        properties: { name: { type: name.type, title }, grade: schema.properties.grade },
        allOf: [{ required: ['name'] }],
        dependentRequired: { name: ['grade'] },
        $defs: { grade: { minimum: 0 } },
      },
      uiSchema: { 'ui:order': ['name', 'grade'], name: { 'ui:help': 'as in the contract' } },
    });
    for (const gone of ['x-unique', 'x-tree-order', 'if', 'then', 'x-formula']) {
      expect(form.body.schema).not.toHaveProperty(gone);
    }
  });

  it('names no hidden field in a layout of JSON Forms', async () => {
    const control = (code: string) => ({ type: 'Control', scope: `#/properties/${code}` });
    const rule = { effect: 'HIDE', condition: { scope: '#/properties/salary', schema: {} } };
    const uischema = {
      type: 'VerticalLayout',
      elements: [
        { ...control('name'), rule },
        { type: 'Group', label: 'Pay', elements: [control('salary')] },
      ],
    };

    const form = await formFor({ view: only('name', 'grade') }, { schema, uischema });

    expect(form.body.uiSchema).toEqual({ type: 'VerticalLayout', elements: [control('name')] });
  });

  it.each(['add', 'edit'])(
    'is there for who may only %s, with what may be written',
    async (action) => {
      const form = await formFor({ [action]: only('name', 'bonus') });

      expect(form.status, form.text).toBe(200);
      expect(codesOf(form)).toEqual(['name', 'bonus']);
      expect(form.body).toMatchObject({
        schema: { required: ['name'], properties: { group: { properties: { bonus: {} } } } },
        permissions: { view: false, add: false, edit: false, delete: false, [action]: true },
      });
      for (const field of form.body.fields as object[]) {
        expect(field).toMatchObject({ operators: [], sortable: false });
      }
    },
  );

  it('asks for nothing that is seen and may not be written', async () => {
    const form = await formFor({ view: only('name', 'grade'), edit: only('name') });

    expect(form.body).toMatchObject({
      schema: { required: ['name'], properties: { grade: { readOnly: true } } },
    });
    expect(form.body.fields).toMatchObject([
      { code: 'name', required: true },
      { code: 'grade', required: false, readOnly: true },
    ]);
  });

  it('is refused to who may do nothing but delete', async () => {
    expect(await formFor({ delete: true })).toMatchObject({
      status: 403,
      body: { action: 'view' },
    });
  });
});
