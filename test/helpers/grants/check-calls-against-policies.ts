import { type GrantStatement, readGrants, type Template } from './policy-grants.ts';
import type { RecordedCall } from './recorded-call.ts';

/** A call that no statement of the module's role allows. */
export interface MissingGrant {
  readonly call: RecordedCall;
  readonly reason: string;
}

/** A granted action on a resource, and on a key pattern where there is one, that no call used. */
export interface UnusedGrant {
  readonly module: string;
  readonly action: string;
  readonly resource: string;
  readonly leadingKey?: string;
}

/** A grant that recordings cannot show, with the reason why it is needed all the same. */
export interface AcceptedGrant extends UnusedGrant {
  /** Whether calls may use it or not. */
  readonly mayHappen?: boolean;
  readonly reason: string;
}

/** Where calls and policies differ; all empty when the policies are exactly what the calls need. */
export interface PolicyFindings {
  readonly missing: readonly MissingGrant[];
  readonly unused: readonly UnusedGrant[];
  /** Accepted grants of functions of the template that are granted no more, or that calls do use. */
  readonly needlesslyAccepted: readonly AcceptedGrant[];
}

/**
 * Holds recorded calls against the roles of a synthesised template: what was called must be granted, and what is
 * granted must have been called - each action, on each resource, for each key pattern. Grants that Lambda itself
 * uses (logs, traces, event sources) are left aside.
 * @throws Error when a role holds what the reader does not understand, such as a managed policy.
 */
export function checkCallsAgainstPolicies(
  calls: readonly RecordedCall[],
  template: Template,
  accepted: readonly AcceptedGrant[] = [],
): PolicyFindings {
  const statements = readGrants(template);
  const missing: MissingGrant[] = [];
  const used = new Set<string>();
  for (const call of calls) {
    const allowing = statements.filter((statement) => allows(statement, call));
    if (allowing.length === 0) missing.push({ call, reason: reasonFor(statements, call) });
    for (const statement of allowing) {
      for (const grant of grantsUsed(statement, call)) used.add(identity(grant));
    }
  }
  const unused = statements
    .filter(({ isForLambda }) => !isForLambda)
    .flatMap(singleGrants)
    .filter((grant) => !used.has(identity(grant)));
  const unusedIds = new Set(unused.map(identity));
  const acceptedIds = new Set(accepted.map(identity));
  const deployed = new Set(statements.map(({ module }) => module));
  return {
    missing,
    unused: unused.filter((grant) => !acceptedIds.has(identity(grant))),
    needlesslyAccepted: accepted.filter(
      (grant) => deployed.has(grant.module) && !grant.mayHappen && !unusedIds.has(identity(grant)),
    ),
  };
}

/** The findings as text, one line each; empty when there are none. */
export function describeFindings(findings: PolicyFindings): string {
  const { missing, unused, needlesslyAccepted } = findings;
  return [
    ...new Set([
      ...missing.map(({ call, reason }) => `missing: ${describeCall(call)}: ${reason}`),
      ...unused.map((grant) => `never used: ${identity(grant)}`),
      ...needlesslyAccepted.map((grant) => `accepted without need: ${identity(grant)}`),
    ]),
  ].join('\n');
}

function allows(statement: GrantStatement, call: RecordedCall): boolean {
  return (
    statement.module === call.module &&
    statement.actions.some((action) => matches(action, call.action)) &&
    statement.resources.some((resource) => matches(resource, call.resource)) &&
    allowsKeys(statement, call)
  );
}

/** As IAM reads ForAllValues, but a call must tell its keys where the statement limits them. */
function allowsKeys({ leadingKeys }: GrantStatement, call: RecordedCall): boolean {
  if (!leadingKeys) return true;
  const keys = call.leadingKeys ?? [];
  return keys.length > 0 && keys.every((key) => leadingKeys.some((each) => matches(each, key)));
}

function reasonFor(statements: readonly GrantStatement[], call: RecordedCall): string {
  const own = statements.filter(({ module }) => module === call.module);
  if (own.length === 0) return 'the template has no such function';
  const keysAside = own.filter((statement) =>
    allows(statement, { ...call, leadingKeys: statement.leadingKeys ?? [] }),
  );
  if (keysAside.length === 0) return 'the role has no statement for this action on this resource';
  if (!call.leadingKeys?.length) return 'the call was recorded without its leading keys';
  return 'the role allows this action on other keys only';
}

function grantsUsed(statement: GrantStatement, call: RecordedCall): UnusedGrant[] {
  return singleGrants(statement).filter(
    ({ action, resource, leadingKey }) =>
      matches(action, call.action) &&
      matches(resource, call.resource) &&
      (leadingKey === undefined ||
        call.leadingKeys?.some(
          (key) => narrowest(statement.leadingKeys ?? [], key) === leadingKey,
        )),
  );
}

/** The pattern that names a key most exactly: a wider one beside it is not thereby in use. */
function narrowest(patterns: readonly string[], key: string): string | undefined {
  return patterns
    .filter((pattern) => matches(pattern, key))
    .sort((one, other) => other.length - one.length)[0];
}

function singleGrants({ module, actions, resources, leadingKeys }: GrantStatement): UnusedGrant[] {
  return actions.flatMap((action) =>
    resources.flatMap((resource) =>
      leadingKeys
        ? leadingKeys.map((leadingKey) => ({ module, action, resource, leadingKey }))
        : [{ module, action, resource }],
    ),
  );
}

function identity({ module, action, resource, leadingKey }: UnusedGrant): string {
  return [module, action, resource, ...(leadingKey === undefined ? [] : [leadingKey])].join(' ');
}

function describeCall({ module, action, resource, leadingKeys = [] }: RecordedCall): string {
  return [module, action, resource, ...leadingKeys].join(' ');
}

/** IAM's own wildcards: `*` any text, `?` one character. */
function matches(pattern: string, value: string): boolean {
  const logicalId = /^<(\w+)>$/.exec(pattern)?.[1];
  // CloudFormation makes the logical id a part of the names it chooses.
  if (logicalId && value.startsWith('arn:')) return value.includes(logicalId);
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}
