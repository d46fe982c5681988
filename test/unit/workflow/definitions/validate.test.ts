import { describe, expect, it } from 'vitest';
import { xml } from '../../../../functions/workflow/api/definitions/definition-examples.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { caseXml } from '../../../helpers/workflow/case-xml.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

const PATH = '/api/v1/workflow/cmmn/validate';
const module = workflowWorld();
const validate = (body: unknown, headers: Record<string, string> = {}, caller?: TestClaims) =>
  module.call({ method: 'POST', path: PATH, body, headers, ...(caller && { caller }) });
const asXml = { 'content-type': 'application/xml' };

describe('POST /api/v1/workflow/cmmn/validate', () => {
  it('accepts a model as a text in JSON and as XML with the same answer', async () => {
    const fromJson = await validate({ xml });
    const fromXml = await validate(xml, asXml);

    expect(fromJson.status).toBe(200);
    expect(fromJson.body).toMatchObject({
      valid: true,
      errors: [],
      infos: [{ code: 'DI_MISSING', severity: 'INFO' }],
      caseDefinitions: [{ key: 'loan', name: 'Loan' }],
    });
    expect(fromXml).toMatchObject({ status: 200, body: fromJson.body });
  });

  it('names element, line and column of what is wrong', async () => {
    const { status, body } = await validate({
      xml: xml.replace('definitionRef="review"', 'definitionRef="gone"'),
    });

    expect(status).toBe(200);
    expect(body.valid).toBe(false);
    expect(body.errors).toMatchObject([
      { code: 'PLAN_ITEM_DEFINITION_REF_UNRESOLVED', elementId: 'planReview', line: 6, column: 7 },
    ]);
  });

  it.each([
    ['no XML', 'no XML', 'XML_MALFORMED'],
    ['a document type', '<!DOCTYPE x><definitions/>', 'XML_DTD_FORBIDDEN'],
    ['more than 1 MiB', `${' '.repeat(1_048_577)}`, 'XML_TOO_LARGE'],
  ])('tells of %s in its answer', async (_, text, code) => {
    const { status, body } = await validate(text, asXml);

    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, errors: [{ code }] });
  });

  it.each([
    ['no text', { xml: 1 }, {}, '/xml', 'INVALID_TYPE'],
    ['an empty text', { xml: '' }, {}, '/xml', 'TOO_SMALL'],
    ['an unknown field', { xml, file: 'x' }, {}, '/file', 'UNKNOWN_FIELD'],
    ['bytes that are no UTF-8', Buffer.from([0x3c, 0xff]), asXml, '/xml', 'REQUIRED'],
  ])('refuses %s by its name', async (_, body, headers, pointer, code) => {
    const answer = await validate(body, headers as Record<string, string>);

    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });

  it('refuses a code that belongs to a case which the document does not have', async () => {
    await module.post('/deployments', { workflowCode: 'credit', xml });
    const other = xml.replace('<case id="loan"', '<case id="lease"');

    const [own, taken, free, foreign] = await Promise.all([
      validate({ xml, workflowCode: 'credit' }),
      validate({ xml: other, workflowCode: 'credit' }),
      validate({ xml: other, workflowCode: 'lease' }),
      validate({ xml: other, workflowCode: 'credit', tenantCode: 'acme' }),
    ]);

    expect([own, free, foreign].map(({ body }) => body.valid)).toEqual([true, true, true]);
    expect([taken.status, taken.body.valid, taken.body.errors]).toMatchObject([
      200,
      false,
      [{ code: 'WORKFLOW_CODE_TAKEN', severity: 'ERROR' }],
    ]);
  });

  it('warns of called cases that are not deployed where it will be, as a deployment does', async () => {
    const called = caseXml({ key: 'called' });
    const calling = caseXml({
      key: 'calling',
      plan: '<planItem id="pi" definitionRef="call"/><caseTask id="call" caseRef="called"/>',
    });
    const codesOf = async (body: object) =>
      ((await validate(body)).body.warnings as { code: string }[]).map(({ code }) => code);

    const before = await codesOf({ xml: calling });
    await module.post('/deployments', { workflowCode: 'called', xml: called, tenantCode: 'acme' });

    expect(before).toContain('CASE_REF_NOT_DEPLOYED');
    expect(await codesOf({ xml: calling })).toContain('CASE_REF_NOT_DEPLOYED');
    expect(await codesOf({ xml: calling, tenantCode: 'acme' })).not.toContain(
      'CASE_REF_NOT_DEPLOYED',
    );
  });

  it('looks into no other tenant', async () => {
    const caller = { sub: 'eve', tenant: 'globex', roles: ['admin'] };

    const { status } = await validate({ xml, tenantCode: 'acme' }, {}, caller);

    expect(status).toBe(403);
  });

  it('asks for workflow:definition:view', async () => {
    const refused = await validate(
      { xml },
      {},
      { sub: 'u', permissions: ['workflow:definition:edit'] },
    );
    const allowed = await validate(
      { xml },
      {},
      { sub: 'u', permissions: ['workflow:definition:view'] },
    );

    expect([refused.status, allowed.status]).toEqual([403, 200]);
  });
});
