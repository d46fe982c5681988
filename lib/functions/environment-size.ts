import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnResource, Stack } from 'aws-cdk-lib/core';
import type { ModuleFunction } from './module-function.ts';

/** Lambda measures all variables of a function together, as the text of one JSON object. */
const MAX_BYTES = 4_096;
/** Longest ARN without the name of its resource: partition, service, region, account and type. */
const ARN_LENGTH = 90;
/** Characters that CloudFormation adds to stack and logical id for the name of a resource: two hyphens and 12 others. */
const NAME_SUFFIX = 14;
const MAX_NAME = 255;
const MAX_NAME_OF_TYPE: Readonly<Record<string, number>> = {
  'AWS::Lambda::Function': 64,
  'AWS::S3::Bucket': 63,
};
/** A value that another stack or a parameter gives. */
const FOREIGN_LENGTH = 128;
const SHOWN = 3;

/** Advice, by the variable that is too large. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  SVC_MESSAGING: 'declare fewer ordered topics and listeners, or shorter topics and groups',
  SVC_CONFIG: 'leave properties at their defaults',
  SVC_SERVICES: 'declare fewer state machines in one module, or shorter names',
  SVC_PORTS: 'bind fewer ports in one function',
};

/**
 * Names the functions whose environment Lambda would refuse in the middle of a deployment: names that only
 * CloudFormation knows count with their greatest length.
 */
export function environmentFindings(functions: ReadonlyMap<string, ModuleFunction>): string[] {
  const [any] = functions.values();
  if (!any) return [];
  const measure = new Measure(Stack.of(any));
  return [...functions].flatMap(([name, { function: target }]) => {
    const { defaultChild } = target.node;
    return defaultChild instanceof CfnFunction
      ? findingOf(name, measure.variables(defaultChild))
      : [];
  });
}

function findingOf(name: string, variables: Readonly<Record<string, string>>): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes <= MAX_BYTES) return [];
  const largest = Object.entries(variables)
    .map(([variable, value]) => [variable, Buffer.byteLength(JSON.stringify(value))] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN);
  const [[variable]] = largest as [(typeof largest)[number]];
  const way = WAYS_OUT[variable] ?? 'shorten its value';
  return [
    `ENVIRONMENT_TOO_LARGE: the environment variables of the function ${name} take up to ${bytes} bytes, Lambda allows ${MAX_BYTES}; ` +
      `the largest are ${largest.map(([each, size]) => `${each} (${size})`).join(', ')}. For ${variable}: ${way}.`,
  ];
}

/** Values of a template with placeholders for what CloudFormation puts in. */
class Measure {
  readonly #stack: Stack;
  readonly #types: ReadonlyMap<string, string>;

  constructor(stack: Stack) {
    this.#stack = stack;
    this.#types = new Map(
      stack.node
        .findAll()
        .filter((each) => CfnResource.isCfnResource(each))
        .map((each) => [String(stack.resolve(each.logicalId)), each.cfnResourceType]),
    );
  }

  variables({ environment }: CfnFunction): Record<string, string> {
    const resolved: unknown = this.#stack.resolve(environment);
    const { variables = {} } = resolved as { variables?: Readonly<Record<string, unknown>> };
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, this.#text(value)]),
    );
  }

  #text(value: unknown): string {
    if (typeof value === 'string') return value;
    const [[intrinsic, operand] = ['', undefined]] = Object.entries(value as object);
    switch (intrinsic) {
      case 'Fn::Join': {
        const [separator, parts] = operand as [string, readonly unknown[]];
        return parts.map((part) => this.#text(part)).join(separator);
      }
      case 'Ref':
        return 'x'.repeat(this.#nameLength(String(operand)));
      case 'Fn::GetAtt':
        return 'x'.repeat(ARN_LENGTH + this.#nameLength(String((operand as unknown[])[0])));
      default:
        return 'x'.repeat(FOREIGN_LENGTH);
    }
  }

  /** Account, region and the like are shorter than any name. */
  #nameLength(logicalId: string): number {
    const type = this.#types.get(logicalId);
    if (type === undefined) return logicalId.startsWith('AWS::') ? NAME_SUFFIX : FOREIGN_LENGTH;
    const given = `${this.#stack.stackName}${logicalId}`.length + NAME_SUFFIX;
    return Math.min(given, MAX_NAME_OF_TYPE[type] ?? MAX_NAME);
  }
}
