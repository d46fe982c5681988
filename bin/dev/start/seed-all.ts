import { ensureDemoCase } from '../seed/demo-case.ts';
import { ensureDemoDocument } from '../seed/demo-document.ts';
import { seedDemoData } from '../seed/seed-demo-data.ts';
import { printFailure, startStep } from '../terminal/output.ts';
import { demoLink, type StandIn } from './document-server.ts';
import type { DemoFacts } from './print-ready.ts';

/** Makes what a person looks at first; without it the platform is up nevertheless. */
export async function seedAll(
  baseUrl: string,
  token: string,
  standIn: StandIn | undefined,
): Promise<DemoFacts> {
  const step = startStep('demo data', 'looking for it');
  try {
    const calls = await seedDemoData(baseUrl, token);
    const demoCase = await ensureDemoCase(baseUrl, token);
    const config = standIn && (await ensureDemoDocument(baseUrl, token));
    step.done(calls === 0 ? 'there already' : `made by ${calls} calls`);
    return { demoCase, demoDocument: config && demoLink(standIn, config, token) };
  } catch (error) {
    step.failed('not made');
    printFailure(error);
    return { demoCase: undefined, demoDocument: undefined };
  }
}
