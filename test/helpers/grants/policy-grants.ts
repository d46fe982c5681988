/** The parts of a CloudFormation template that grants are read from. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** One Allow statement of a function's role. */
export interface GrantStatement {
  readonly module: string;
  readonly actions: readonly string[];
  /** As in a recorded call, possibly with `*`: `table`, `bucket/outbox/*`, an ARN, `<LogicalId>` of a resource. */
  readonly resources: readonly string[];
  /** Patterns of leading keys; undefined when the statement does not limit them. */
  readonly leadingKeys?: readonly string[];
  /** Whether Lambda itself uses the grant (logs, traces, reading the function's event sources). */
  readonly isForLambda: boolean;
}

/**
 * Reads from a template what each function may do.
 * @throws Error when a role holds what the reader does not understand: managed policies, Deny, NotAction.
 */
export function readGrants(template: Template): GrantStatement[] {
  return functionsOf(template).flatMap(({ module, logicalId, role }) => {
    const properties = template.Resources[role]?.Properties ?? {};
    if (list(properties.ManagedPolicyArns).length > 0) {
      throw new Error(`${role} has managed policies; the check cannot see what they grant.`);
    }
    const sources = eventSourcesOf(template, logicalId);
    return policyDocumentsOf(template, role)
      .flatMap((document) => list(record(document).Statement))
      .map((statement) => readStatement(template, module, record(statement), sources));
  });
}

interface FunctionInfo {
  readonly module: string;
  readonly logicalId: string;
  readonly role: string;
}

function functionsOf(template: Template): FunctionInfo[] {
  return resourcesOf(template, 'AWS::Lambda::Function').flatMap(([logicalId, properties]) => {
    const module = record(record(properties.Environment).Variables).SVC_MODULE;
    const role = list(record(properties.Role)['Fn::GetAtt'])[0];
    return typeof module === 'string' && typeof role === 'string'
      ? [{ module, logicalId, role }]
      : [];
  });
}

function policyDocumentsOf(template: Template, role: string): unknown[] {
  const inline = list(template.Resources[role]?.Properties?.Policies);
  const attached = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    resourcesOf(template, type).map(([, properties]) => properties),
  );
  return [
    ...inline,
    ...attached.filter(({ Roles }) => list(Roles).some((each) => record(each).Ref === role)),
  ].map((policy) => record(policy).PolicyDocument);
}

function eventSourcesOf(template: Template, functionId: string): ReadonlySet<string> {
  return new Set(
    resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
      .filter(([, { FunctionName }]) => record(FunctionName).Ref === functionId)
      .map(([, { EventSourceArn }]) => resourceName(template, EventSourceArn)),
  );
}

function readStatement(
  template: Template,
  module: string,
  statement: Readonly<Record<string, unknown>>,
  eventSources: ReadonlySet<string>,
): GrantStatement {
  if (statement.Effect !== 'Allow' || 'NotAction' in statement || 'NotResource' in statement) {
    throw new Error(`A statement of ${module} is not understood: ${JSON.stringify(statement)}`);
  }
  const actions = list(statement.Action).map(String);
  const resources = list(statement.Resource).map((each) => resourceName(template, each));
  const leadingKeys = leadingKeysOf(record(statement.Condition));
  return {
    module,
    actions,
    resources,
    ...(leadingKeys && { leadingKeys }),
    isForLambda:
      actions.every((action) =>
        /^(logs:(CreateLogStream|PutLogEvents)|xray:Put\w+)$/.test(action),
      ) || resources.every((resource) => eventSources.has(resource)),
  };
}

function leadingKeysOf(condition: Readonly<Record<string, unknown>>): string[] | undefined {
  const operators = ['ForAllValues:StringLike', 'ForAllValues:StringEquals'];
  const keys = operators.flatMap((each) => list(record(condition[each])['dynamodb:LeadingKeys']));
  return keys.length > 0 ? keys.map(String) : undefined;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table.Arn': 'table',
  'AWS::DynamoDB::Table.StreamArn': 'table/stream',
  'AWS::S3::Bucket.Arn': 'bucket',
  'AWS::Events::EventBus.Arn': 'bus',
};

/** How recorded calls name a function: CloudFormation makes the name from those of the stack and of the resource, both cut. */
export const functionResource = (logicalId: string): string =>
  `arn:aws:lambda:*:*:function:*-${logicalId.slice(0, 24)}*`;

/** Renders an ARN expression the way recorded calls name resources; what is unknown at synth becomes `*`. */
function resourceName(template: Template, value: unknown): string {
  if (typeof value === 'string') return value;
  const expression = record(value);
  const join = list(expression['Fn::Join']);
  if (join.length === 2) {
    return list(join[1])
      .map((part) => resourceName(template, part))
      .join(String(join[0]));
  }
  const attribute = list(expression['Fn::GetAtt']);
  if (attribute.length === 2) {
    const { Type: type, Properties } = template.Resources[String(attribute[0])] ?? {};
    const queue = Properties?.QueueName;
    if (typeof queue === 'string' && attribute[1] === 'Arn') return `arn:aws:sqs:*:*:${queue}`;
    if (type === 'AWS::Lambda::Function') return functionResource(String(attribute[0]));
    // CloudFormation makes the name from those of the stack and of the resource, both cut.
    if (type === 'AWS::IAM::Role')
      return `arn:aws:iam::*:role/*-${String(attribute[0]).slice(0, 20)}*`;
    return SHORT_NAMES[`${type}.${attribute[1]}`] ?? `<${attribute[0]}>`;
  }
  const reference = expression.Ref;
  if (reference === 'AWS::Partition') return 'aws';
  return typeof reference === 'string' && !reference.startsWith('AWS::') ? `<${reference}>` : '*';
}

function resourcesOf(
  template: Template,
  type: string,
): [string, Readonly<Record<string, unknown>>][] {
  return Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([logicalId, { Properties }]) => [logicalId, Properties ?? {}]);
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
