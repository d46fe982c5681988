import { demoMarkerPath } from '../seed/demo-data.ts';
import { paint, say } from '../terminal/output.ts';

/** What there is to look at. */
export interface DemoFacts {
  /** Path of a case to look at, where the workflow module is deployed. */
  readonly demoCase: string | undefined;
  /** Path of the page of a run that synchronises people, where a directory of them runs. */
  readonly demoRun?: string | undefined;
  /** Path where a browser logs in, where an OpenID provider runs. */
  readonly demoLogin?: string | undefined;
  /** Page of the stand-in of the document server that opens a document. */
  readonly demoDocument: string | undefined;
}

/** Output when the platform is up. */
export interface ReadyFacts extends DemoFacts {
  readonly baseUrl: string;
  readonly endpoint: string;
  readonly token: string;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
}

/** Prints base URL, token and a call to paste. */
export function printReady(facts: ReadyFacts): void {
  const { baseUrl, endpoint, token, startedAt, demoCase, demoRun, demoDocument } = facts;
  const { demoLogin } = facts;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const label = (text: string): string => paint('bold', text.padEnd(11));
  say('');
  say(`${paint(['bold', 'green'], 'Ready')} in ${seconds} s`);
  say('');
  say(`${label('Base URL')} ${baseUrl}`);
  say(`${label('Reference')} ${baseUrl}/api/v1/reference`);
  say(`${label('AWS')} ${endpoint} (region us-east-1, any key)`);
  say(`${label('Token')} ${token}`);
  if (demoCase !== undefined) say(`${label('A case')} ${baseUrl}${demoCase}/view#token=${token}`);
  if (demoRun !== undefined) say(`${label('A run')} ${baseUrl}${demoRun}#token=${token}`);
  if (demoLogin !== undefined)
    say(`${label('A login')} ${baseUrl}${demoLogin} (as mai, with any password)`);
  if (demoDocument !== undefined) say(`${label('A document')} ${demoDocument}`);
  say('');
  say(`${label('Try it')}`);
  say(`curl -s ${baseUrl}${demoMarkerPath} -H 'Authorization: Bearer ${token}'`);
  say('');
  say(
    paint(
      'dim',
      'Watching functions/, shared/, lib/ and cdk.json. Ctrl-C stops and keeps the data.',
    ),
  );
}
