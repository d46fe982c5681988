import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { PlatformModules, type PlatformModulesProps } from './platform-modules.ts';

/** Properties of the stack and of the construct in it. */
export interface PlatformStackProps extends StackProps, PlatformModulesProps {
  readonly stage: string;
}

/** The standalone app's stack: the construct and the outputs that tools read. */
export class PlatformStack extends Stack {
  readonly platform: PlatformModules;

  constructor(scope: Construct, id: string, props: PlatformStackProps) {
    super(scope, id, props);
    this.platform = new PlatformModules(this, 'Platform', props);
    this.#output('ApiId', this.platform.api.httpApi.apiId);
    this.#output('ApiUrl', this.platform.api.httpApi.apiEndpoint);
    if (this.platform.edge) this.#output('EdgeUrl', this.platform.edge.url);
    this.#output('TableName', this.platform.storage.table.tableName);
    this.#output('BucketName', this.platform.storage.bucket.bucketName);
    this.#output('EventBusName', this.platform.messaging.bus.eventBusName);
    for (const [name, { function: target }] of this.platform.functions) {
      this.#output(`${pascalCase(name)}FunctionName`, target.functionName);
    }
    this.#output('AlarmTopicArn', this.platform.monitoring.alarmTopic.topicArn);
  }

  #output(id: string, value: string): void {
    new CfnOutput(this, id, { value });
  }
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
