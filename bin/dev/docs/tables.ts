import * as z from 'zod';
import type { RouteLimit } from '../../../shared/config/route-limit.ts';
import type { EventDescription } from '../../../shared/messaging/wire/event-description.ts';
import type { OpenApiDocument, OperationObject } from '../../../shared/openapi/document.ts';
import { fillPlaceholders } from '../../../shared/openapi/placeholders.ts';
import type { ProblemType } from '../../../shared/problems/problem.ts';

/** A property of the configuration, as its table shows it. */
interface Property {
  readonly name: string;
  readonly fallback: unknown;
  readonly meaning: string;
}

/** Files of the reference page, left out of the table. */
const NOT_LISTED = ['getReferenceFile'];

/** Every operation, with the permission that it needs. */
export function endpointTable({ paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !NOT_LISTED.includes(operationId))
      .map(([method, operation]) => [
        `${method.toUpperCase()} ${written(path)}`,
        accessOf(operation),
        `${operation.summary}${conditionOf(operation)}`,
      ]),
  );
  return table(['Method and path', 'Permission', 'What it does'], rows);
}

/** Every property with its default. */
export function propertyTable(properties: readonly Property[]): string {
  const rows = properties.map(({ name, fallback, meaning }) => [
    name,
    shownDefault(fallback),
    meaning,
  ]);
  return table(['Property', 'Default', 'Meaning'], rows);
}

/** Every limit of a single route. */
export function limitTable(limits: readonly RouteLimit[]): string {
  const rows = limits.map(({ route, rate, burst }) => [route, String(rate), String(burst)]);
  return table(['Route', 'Steady requests per second', 'At once'], rows);
}

/** Every problem code, by status. */
export function problemTable(problems: readonly ProblemType[]): string {
  const rows = problems
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
    .map(({ code, status, title }) => [code, String(status), title]);
  return table(['Code', 'Status', 'Meaning'], rows);
}

/** Every event, with the type of its payload. */
export function eventTable(events: readonly EventDescription[]): string {
  const rows = events.map(({ topic, key, payload, meaning }) => [
    `\`${topic}\``,
    key,
    `\`${payload}\``,
    meaning,
  ]);
  return table(['Topic', 'Key', 'Payload', 'Published when'], rows);
}

/** The members of every payload, a table for each event. */
export function payloadTables(events: readonly EventDescription[]): string {
  return events
    .map(({ topic, payload, members, schema }) => {
      const rows = Object.entries(members).map(([name, meaning]) => [`\`${name}\``, meaning]);
      const described = `### \`${payload}\` of \`${topic}\`\n\n${table(['Member', 'Meaning'], rows)}`;
      return schema ? `${described}\n\n${schemaBlock(schema())}` : described;
    })
    .join('\n\n');
}

/** The JSON Schema (draft 2020-12) of what others send. */
function schemaBlock(schema: z.ZodType): string {
  const shown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return `\`\`\`json\n${JSON.stringify(shown, undefined, 2)}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A path with the name of the property that decides its beginning. */
function written(path: string): string {
  return fillPlaceholders(path, (property) => `{${property.split('.').at(-1) ?? ''}}`);
}

function accessOf({ description = '', security }: OperationObject): string {
  const permission = /Needs the permission `([^`]+)`/.exec(description)?.[1];
  if (permission !== undefined) return permission;
  // For `data` access the token is optional.
  return security.length === 0 ? 'public' : security.length > 1 ? 'entity' : 'token';
}

function conditionOf({ 'x-when': when = [] }: OperationObject): string {
  return when.length === 0 ? '' : ` (with ${when.map((name) => `\`svc.${name}\``).join(' and ')})`;
}

function shownDefault(fallback: unknown): string {
  if (fallback === undefined) return 'none';
  if (fallback === '') return 'empty';
  if (Array.isArray(fallback)) return fallback.length > 0 ? fallback.join(', ') : 'none';
  return `\`${String(fallback)}\``;
}
