import { join } from 'node:path';
import { App, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
// In an application of its own: from 'svc-cloud'.
import { PlatformModules } from '../../lib/index.ts';
import { notes } from './declaration.ts';

/** A stack of an application with a module of its own beside those of the platform. */
export class NotesStack extends Stack {
  readonly platform: PlatformModules;

  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, props);
    this.platform = new PlatformModules(this, 'Platform', {
      hostEntry: join(import.meta.dirname, '../host-app/platform-host.ts'),
      modules: [notes],
      config: { notes: { 'max-length': 500 } },
    });
  }
}

if (import.meta.main) new NotesStack(new App(), 'Notes');
