import { CommandError } from '../terminal/command-error.ts';
import { demoModel } from './demo-model.ts';

const CMMN = '/api/v1/workflow/cmmn';
const BUSINESS_KEY = 'DEMO-1';

/**
 * Deploys the demo model and starts a case of it, unless there is one.
 * @returns its path; `undefined` where the workflow module is not deployed
 */
export async function ensureDemoCase(baseUrl: string, token: string): Promise<string | undefined> {
  const call = caller(baseUrl, token);
  const list = await call('GET', `${CMMN}/cases?businessKey=${BUSINESS_KEY}`);
  if (list.status === 404) return undefined;
  const [known] = content(list.body);
  if (known) return pathOf(known);
  await call('POST', `${CMMN}/deployments`, { workflowCode: 'demo-loan', xml: demoModel });
  const started = await call('POST', `${CMMN}/cases`, {
    workflowCode: 'demo-loan',
    name: 'Loan of Mai',
    businessKey: BUSINESS_KEY,
    variables: { amount: 25_000 },
  });
  return pathOf(started.body as DemoCase);
}

interface DemoCase {
  readonly caseInstanceId: string;
}

const content = (page: unknown): readonly DemoCase[] =>
  (page as { readonly content: readonly DemoCase[] }).content;

const pathOf = ({ caseInstanceId }: DemoCase): string => `${CMMN}/cases/${caseInstanceId}`;

/** @throws CommandError when the platform refuses more than that there is such a path */
const caller =
  (baseUrl: string, token: string) => async (method: string, path: string, body?: object) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return { status: answer.status, body: JSON.parse(text) as unknown };
    if (answer.status === 404 && method === 'GET') return { status: 404, body: undefined };
    throw new CommandError(
      `The demo case could not be made: ${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`,
      'Read the log above ("npm run logs" shows it again); after the correction start again.',
    );
  };
