import { join } from 'node:path';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { App, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
// In an application of its own: import { PlatformModules } from 'svc-cloud';
import { PlatformModules } from '../../lib/index.ts';

/** A stack of an application that has resources of its own and uses the platform beside them. */
export class ShopStack extends Stack {
  readonly platform: PlatformModules;

  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, props);
    const onCall = new Topic(this, 'OnCall', { enforceSSL: true });
    this.platform = new PlatformModules(this, 'Platform', {
      hostEntry: join(import.meta.dirname, 'platform-host.ts'),
      config: { mq: { transport: 'broker', 'app-code': 'shop' } },
      alarmTopic: onCall,
    });
  }
}

if (import.meta.main) new ShopStack(new App(), 'Shop');
