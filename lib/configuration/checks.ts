import { type App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/** Makes the synthesis fail on findings of cdk-nag (packs AwsSolutions and Serverless) that nobody acknowledged. */
export function addSecurityChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
