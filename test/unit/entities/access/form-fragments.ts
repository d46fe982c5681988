/** Fields that the caller may not know; `SECRETS` are all texts that tell of them. */
export const SECRETS = /canaryx|canaryy|canaryValue|424242/;
export const ENTITY = 'paper';

type Fragment = Readonly<Record<string, unknown>>;

const name = { type: 'string', title: 'Name', maxLength: 9 };
const tied = { required: ['canaryx'] };

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const thenOf = (rule: Fragment): Fragment => ({ then: rule });

/** Ways in which a form names or tells of a field beside that field itself, as members of the schema. */
export const ROOT_FRAGMENTS: readonly Fragment[] = [
  { required: ['name', 'canaryx'] },
  { allOf: [{ required: ['canaryy'] }, { required: ['name'] }, { $ref: '#/$defs/rule' }] },
  { anyOf: [{ properties: { size: { minimum: 5 } }, required: ['size'] }, tied] },
  {
    oneOf: [
      { required: ['size'] },
      { properties: { canaryy: { maximum: 424_242 } }, not: { required: ['size'] } },
    ],
  },
  { not: { properties: { size: { const: 1 } }, required: ['size', 'canaryx'], maxProperties: 2 } },
  {
    if: { properties: { size: { minimum: 3 } }, required: ['size'] },
    ...thenOf(tied),
    else: { required: ['name'] },
  },
  {
    if: { properties: { canaryy: { minimum: 424_242 } } },
    ...thenOf({ required: ['name'] }),
    else: { required: ['kind'] },
  },
  { if: { properties: { canaryy: { maximum: 424_242 } } }, else: { required: ['kind'] } },
  { dependentRequired: { canaryx: ['size'], size: ['canaryx', 'canaryy'], name: ['size'] } },
  { dependentSchemas: { size: { required: ['canaryy'] }, canaryx: { required: ['kind'] } } },
  { dependencies: { size: ['canaryx'], canaryy: ['size'] } },
  {
    propertyNames: {
      enum: ['name', 'size', 'kind', 'address', 'group', 'canaryx', 'canaryy', 'own', 'lines'],
    },
  },
  { patternProperties: { '^can': { maximum: 424_242 } } },
  { minProperties: 3 },
  {
    default: { canaryx: 'canaryValue', name: 'n' },
    examples: [{ canaryx: 'canaryValue' }, { name: 'n' }],
  },
  {
    'x-indexes': [
      ['name', 'canaryx'],
      ['name', 'size'],
    ],
    'x-unique': [['size', 'canaryy']],
  },
  { 'x-label': 'canaryx', 'x-tree-order': 'canaryy' },
  {
    errorMessage: { required: { canaryx: 'canaryValue is missing' } },
    'x-formula': 'size * canaryy',
  },
  { i18n: { vi: { canaryx: 'canaryValue', name: 'Tên' } }, label: { canaryx: 'canaryValue' } },
  { title: 'Paper {{$form.canaryx}}', description: 'Sizes' },
];

/** The same as members of a field that the caller may write. */
export const FIELD_FRAGMENTS: readonly Fragment[] = [
  { kind: { type: 'string', enum: { $data: '1/canaryx' } } },
  { name: { ...name, title: '{{ canaryx }}', description: '{{$form.canaryx}}' } },
  {
    name: { ...name, 'x-reactions': { dependencies: ['canaryx'], when: '{{$deps[0] > 424242}}' } },
  },
  { name: { ...name, examples: ['as canaryx'], 'x-renamed-from': 'canaryx' } },
  {
    name: {
      ...name,
      'x-component': '{{canaryx ? "A" : "B"}}',
      'x-validator': '{{canaryy < 424242}}',
    },
  },
  { own: { type: 'string', $ref: '#/properties/canaryx' } },
  { size: { type: 'integer', $ref: '#/$defs/canaryy' } },
  { size: { type: 'integer', allOf: [{ $ref: '#/$defs/canaryy' }] } },
  { size: { type: 'integer', minimum: 0, 'x-most': { $data: '1/canaryy' } } },
  { kind: { type: 'string', enum: ['a', 'b'], enumNames: { canaryx: 'canaryValue' } } },
  {
    address: {
      type: 'object',
      properties: {
        canaryless: { type: 'string' },
        street: { type: 'string', 'x-reactions': '{{$form.canaryx}}', title: '{{canaryy}}' },
      },
    },
  },
  {
    lines: {
      type: 'array',
      items: { type: 'object', 'x-visible': 'canaryx', properties: { a: { 'x-rule': 'canaryy' } } },
    },
  },
  { own: { type: 'string', 'x-reference': { entity: ENTITY, labelField: 'canaryx' } } },
  {
    group: {
      type: 'void',
      title: '{{canaryx}}',
      'x-visible': '{{canaryx}}',
      properties: { inGroup: name },
    },
  },
];

/** The same in a layout. */
export const LAYOUT_FRAGMENTS: readonly Fragment[] = [
  { 'ui:order': ['canaryx', 'name', '*'] },
  { canaryx: { 'ui:widget': 'canaryValue' } },
  { name: { 'ui:options': { watches: 'canaryy' }, 'ui:help': '{{canaryx}}' } },
  { name: { 'ui:order': ['street', 'canaryx'] } },
  {
    'ui:title': { canaryx: 'canaryValue' },
    'ui:groups': [{ title: 'g', fields: ['canaryx', 'size'] }],
  },
  {
    elements: [
      { type: 'Control', scope: '#/properties/canaryx' },
      { type: 'Control', scope: '#/properties/name' },
    ],
  },
  {
    elements: [
      {
        type: 'Label',
        text: { of: 'canaryx' },
        rule: { condition: { scope: '#/properties/canaryy' } },
      },
    ],
  },
];

/** The form made of fragments. Later ones replace keywords of earlier ones. */
export function formOf(
  root: readonly Fragment[],
  fields: readonly Fragment[],
  layout: readonly Fragment[],
) {
  const properties = Object.assign(
    {
      name,
      size: { type: 'integer' },
      kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
      canaryx: { type: 'string', 'x-note': 'canaryValue' },
      canaryy: { type: 'integer', maximum: 424_242 },
    },
    ...fields,
  );
  const rule = { if: { required: ['size'] }, ...thenOf({ required: ['canaryx'] }) };
  const $defs = { rule, canaryy: { maximum: 9, 'x-note': 'canaryx' } };
  const schema = Object.assign({ type: 'object', properties, $defs }, ...root);
  return { schema, uiSchema: Object.assign({}, ...layout) };
}
