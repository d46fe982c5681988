import { localAccount, localRegion } from '../local-cloud/aws-client.ts';
import type { Template } from './assembly.ts';

/**
 * Value of a template expression as far as reconciling needs it: plain values, `Ref`, and `Fn::GetAtt` of the ARN of
 * a queue or topic. Undefined for everything else.
 */
export function resolveValue(
  value: unknown,
  template: Template,
  physicalIds: Readonly<Record<string, string>>,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: reference, 'Fn::GetAtt': attribute } = value as Record<string, unknown>;
  if (typeof reference === 'string') return physicalIds[reference];
  if (!Array.isArray(attribute) || attribute[1] !== 'Arn') return undefined;
  const logicalId = String(attribute[0]);
  const physicalId = physicalIds[logicalId];
  const type = template.Resources[logicalId]?.Type;
  if (physicalId === undefined) return undefined;
  if (physicalId.startsWith('arn:')) return physicalId;
  // A queue is known by its URL; the name is the last part.
  return type === 'AWS::SQS::Queue'
    ? `arn:aws:sqs:${localRegion}:${localAccount}:${physicalId.split('/').at(-1)}`
    : undefined;
}
