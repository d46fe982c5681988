import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSvcConfig, svcSections } from '../../lib/configuration/svc-config.ts';
import { platformModules } from '../../lib/modules.ts';
import { describeProperties } from '../../shared/config/index.ts';
import type { RouteLimit } from '../../shared/config/route-limit.ts';
import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import { catalogueOf, type DeclaredProblem } from '../../shared/problems/problem.ts';
import { type Tables, writeTables } from './docs/regions.ts';
import {
  endpointTable,
  eventTable,
  limitTable,
  payloadTables,
  problemTable,
  propertyTable,
} from './docs/tables.ts';
import { wholeApiDescription } from './openapi.ts';
import { projectRoot } from './paths.ts';

/** Files with tables that are written from the code. */
const DOCUMENTS = ['README.md', 'docs/reference.md'];

/** A document before and after writing its tables. */
interface WrittenDocument {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Writes the tables into the documents, in memory. */
export async function writtenDocuments(): Promise<WrittenDocument[]> {
  const tables = await tablesOfCode();
  return DOCUMENTS.map((path) => {
    const before = readFileSync(join(projectRoot, path), 'utf8');
    return { path, before, after: writeTables(before, tables) };
  });
}

async function tablesOfCode(): Promise<Tables> {
  const catalogues = await ofModules<Record<string, DeclaredProblem>>('errors.ts', 'problems');
  const events = (await ofModules<readonly EventDescription[]>('events.ts', 'events')).flat();
  return {
    endpoints: endpointTable(wholeApiDescription()),
    properties: propertyTable(describeProperties(svcSections())),
    limits: limitTable(limitsOfModules()),
    events: eventTable(events),
    payloads: payloadTables(events),
    problems: problemTable([httpProblems, ...catalogues].flatMap(catalogueOf)),
  };
}

/** Limits of all routes that may be switched on. */
function limitsOfModules(): RouteLimit[] {
  const mq = { 'app-code': 'app', 'relay.enabled': true, 'broker-restful-enabled': true };
  const config = loadSvcConfig({ mq });
  return platformModules.flatMap(({ routeLimits }) => routeLimits?.(config) ?? []);
}

/** Exports of an optional file of each module. */
async function ofModules<T>(file: string, name: string): Promise<T[]> {
  const paths = globSync(`functions/*/${file}`, { cwd: projectRoot }).sort();
  return Promise.all(paths.map(async (path) => (await import(join(projectRoot, path)))[name]));
}

if (import.meta.main) {
  for (const { path, before, after } of await writtenDocuments()) {
    if (before !== after) writeFileSync(join(projectRoot, path), after);
  }
}
