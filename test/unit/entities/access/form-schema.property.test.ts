import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDataSchema } from '../../../../functions/entities/domain/schema/flatten.ts';
import { compileValidator } from '../../../../functions/entities/domain/schema/validator.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { anEntitiesApi, RECORDS } from '../entities-api.ts';
import {
  ENTITY,
  FIELD_FRAGMENTS,
  formOf,
  LAYOUT_FRAGMENTS,
  ROOT_FRAGMENTS,
  SECRETS,
} from './form-fragments.ts';

const VISIBLE = ['name', 'size', 'kind', 'address', 'lines', 'own', 'inGroup'];
const presets = { canaryx: 'canaryValue', canaryy: 7 };
const forms = fc
  .tuple(...[ROOT_FRAGMENTS, FIELD_FRAGMENTS, LAYOUT_FRAGMENTS].map((all) => fc.subarray([...all])))
  .map(([root = [], fields = [], layout = []]) => formOf(root, fields, layout));
const records = fc.array(
  fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 10 }),
      size: fc.integer({ min: 0, max: 10 }),
      kind: fc.constantFrom('a', 'b', 'c'),
    },
    { requiredKeys: [] },
  ),
  { minLength: 4, maxLength: 8 },
);

/** The form and the stored records as somebody meets them who may only add, without two of the fields. */
async function meet(form: ReturnType<typeof formOf>) {
  const open = anEntitiesApi();
  const named = { code: ENTITY, name: 'Paper', apiPath: 'papers', requirePermission: true };
  const defined = await open.define({ ...named, uiSchemaJson: form });
  const mayAdd = { allowed: true, fields: VISIBLE, presets };
  const hasPermission = (_who: unknown, _target: string, action: string) =>
    action === 'add' ? mayAdd : false;
  const api = anEntitiesApi({
    besides: open.context,
    host: { permissionEvaluator: { hasPermission } },
  });
  return { defined, api, shown: await api.get(`${RECORDS}/${ENTITY}/schema`) };
}

describe('the form of who may only add', () => {
  const single = [
    ...ROOT_FRAGMENTS.map((part) => ({ part, form: formOf([part], [], []) })),
    ...FIELD_FRAGMENTS.map((part) => ({ part, form: formOf([], [part], []) })),
    ...LAYOUT_FRAGMENTS.map((part) => ({ part, form: formOf([], [], [part]) })),
  ].map(({ part, form }) => ({ what: JSON.stringify(part), form }));

  it.each(single)('tells of no hidden field that is named by $what', async ({ form }) => {
    const { defined, shown } = await meet(form);

    expect(defined.status, defined.text).toBe(201);
    expect(shown.status, shown.text).toBe(200);
    expect(shown.text).not.toMatch(SECRETS);
  });

  it(
    'accepts every record that is accepted when it is sent',
    async () => {
      let accepted = 0;

      await fc.assert(
        fc.asyncProperty(forms, records, async (form, bodies) => {
          const { defined, shown, api } = await meet(form);
          fc.pre(defined.status === 201);
          expect(shown.text).not.toMatch(SECRETS);
          const schema = toDataSchema(shown.body.schema as Record<string, unknown>);
          const validate = compileValidator(schema, '2020-12');
          for (const body of bodies) {
            const { status } = await api.post(`${RECORDS}/${ENTITY}`, body);
            if (status !== 201) continue;
            accepted += 1;
            expect(validate(structuredClone(body)), JSON.stringify([body, schema])).toEqual([]);
          }
        }),
        { numRuns: propertyRuns(40) },
      );

      expect(accepted).toBeGreaterThan(20);
    },
    propertyRuns(300_000),
  );
});
