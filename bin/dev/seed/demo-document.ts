import { CommandError } from '../terminal/command-error.ts';
import { demoDocx } from './demo-docx.ts';

const TEMPLATES = '/api/v1/templates';
const CODE = 'demo-letter';
const FIELDS = [
  { name: 'ho_ten', label: 'Họ tên', sourceType: 'ENTITY', sourceRef: 'customer.fullName' },
  { name: 'so_tien', label: 'Số tiền', sourceType: 'ENTITY', sourceRef: 'customer.amount' },
];

type Body = Readonly<Record<string, unknown>>;
type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: Body }>;

/**
 * Generates the demo document from a template, unless there is one.
 * @returns the address of the editor's configuration for it; `undefined` where templates or the editor are not deployed
 */
export async function ensureDemoDocument(
  baseUrl: string,
  token: string,
): Promise<string | undefined> {
  const call = caller(baseUrl, token);
  const list = await call('GET', `${TEMPLATES}?code=${CODE}`);
  if (list.status === 404) return undefined;
  const [known] = list.body.content as readonly { readonly id: string }[];
  const id = known?.id ?? (await makeTemplate(call, baseUrl, token));
  const { body } = await call('POST', `${TEMPLATES}/${id}/generate`, {
    outputFormat: 'DOCX',
    entityData: { ho_ten: 'Nguyễn Thị Mai', so_tien: '25.000.000 đ' },
    idempotencyKey: 'demo-document',
  });
  if (typeof body.docsEditUrl !== 'string') return undefined;
  const path = body.docsEditUrl.slice(body.docsEditUrl.indexOf('/api/'));
  return (await call('GET', path)).status === 200 ? baseUrl + path : undefined;
}

async function makeTemplate(call: Call, baseUrl: string, token: string): Promise<string> {
  const template = { code: CODE, name: 'Thư mẫu', type: 'TYPE_1' };
  const { id } = (await call('POST', TEMPLATES, template)).body as { readonly id: string };
  const form = new FormData();
  form.append('file', new Blob([demoDocx()]), 'thu-mau.docx');
  const uploaded = await fetch(`${baseUrl}${TEMPLATES}/${id}/file`, {
    ...{ method: 'PUT', headers: { authorization: `Bearer ${token}` }, body: form },
  });
  if (!uploaded.ok) throw failure('PUT', `${TEMPLATES}/${id}/file`, await textOf(uploaded));
  await call('PUT', `${TEMPLATES}/${id}/merge-fields`, { fields: FIELDS });
  return id;
}

/** @throws CommandError when the platform refuses more than that there is such a path */
const caller =
  (baseUrl: string, token: string): Call =>
  async (method, path, body) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return { status: answer.status, body: (await answer.json()) as Body };
    if (answer.status === 404 && method === 'GET') return { status: 404, body: {} };
    throw failure(method, path, await textOf(answer));
  };

const textOf = async (answer: Response): Promise<string> =>
  `${answer.status}: ${(await answer.text()).slice(0, 500)}`;

const failure = (method: string, path: string, answer: string): CommandError =>
  new CommandError(
    `The demo document could not be made: ${method} ${path} answered ${answer}`,
    'Read the log above ("npm run logs" shows it again); after the correction start again.',
  );
