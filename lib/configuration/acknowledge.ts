import { Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of the security checks (cdk-nag) on a construct and below it.
 * @param reasons per rule, `<pack>::<rule>`, why the finding is accepted.
 */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(reasons)) {
    Validations.of(scope).acknowledge({ id, reason });
  }
}
