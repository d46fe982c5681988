import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import type { Grant } from '../../shared/module/grants.ts';

/** Declares the senders of mail to SES, each once; SES asks their mailboxes for confirmation. */
export function declareSenders(scope: Construct, grants: readonly Grant[]): void {
  const senders = new Set(grants.flatMap((grant) => (grant.on === 'mail' ? grant.senders : [])));
  if (senders.size === 0) return;
  const parent = new Construct(scope, 'MailSenders');
  for (const sender of senders) {
    new EmailIdentity(parent, sender, { identity: Identity.email(sender) });
  }
}
