import { ensureDemoCase } from '../seed/demo-case.ts';
import { ensureDemoDocument } from '../seed/demo-document.ts';
import { ensureDemoProvider, SIGNED_IN } from '../seed/demo-provider.ts';
import { ensureDemoSource } from '../seed/demo-source.ts';
import { identityCall } from '../seed/identity-call.ts';
import { seedDemoData } from '../seed/seed-demo-data.ts';
import { printFailure, startStep } from '../terminal/output.ts';
import { demoLink, type StandIn } from './document-server.ts';
import type { IdentityPeers } from './identity-peers.ts';
import type { DemoFacts } from './print-ready.ts';

/** Servers beside the platform, as far as they run. */
export interface BesideThePlatform {
  readonly standIn: StandIn | undefined;
  readonly peers: IdentityPeers | undefined;
}

/** Makes what a person looks at first; without it the platform is up nevertheless. */
export async function seedAll(
  baseUrl: string,
  token: string,
  { standIn, peers }: BesideThePlatform,
): Promise<DemoFacts> {
  const step = startStep('demo data', 'looking for it');
  try {
    const calls = await seedDemoData(baseUrl, token);
    const demoCase = await ensureDemoCase(baseUrl, token);
    const config = standIn && (await ensureDemoDocument(baseUrl, token));
    const identity = peers && (await seedIdentity(baseUrl, token, peers));
    step.done(calls === 0 ? 'there already' : `made by ${calls} calls`);
    return { demoCase, ...identity, demoDocument: config && demoLink(standIn, config, token) };
  } catch (error) {
    step.failed('not made');
    printFailure(error);
    return { demoCase: undefined, demoDocument: undefined };
  }
}

/** People who came from the demo directory, and who can log in. */
async function seedIdentity(
  baseUrl: string,
  token: string,
  { directory, openid }: IdentityPeers,
): Promise<Pick<DemoFacts, 'demoRun' | 'demoLogin'>> {
  const call = identityCall(baseUrl, token);
  const { id: sourceId, runPage: demoRun } = await ensureDemoSource(call, directory.url);
  const returnTo = `${baseUrl}${SIGNED_IN}`;
  const facts = { issuer: openid.url, sourceId, returnTo };
  return { demoRun, demoLogin: await ensureDemoProvider(call, facts) };
}
