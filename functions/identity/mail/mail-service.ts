import type * as z from 'zod';
import type { Notifier, UserRepository } from '../../../shared/ports/identity.ts';
import type { SourceConfigs } from '../sources/source-configs.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import { SOURCE_DISABLED, SYNC_SUSPENDED, USER_PROVISIONED } from '../sync/topics.ts';
import { canBeTold } from './mail-notifier.ts';
import { filled } from './mail-template.ts';
import { alert, provisioned } from './mail-topics.ts';
import type { Mailer } from './mailer.ts';

interface MailServiceDependencies {
  readonly repository: Pick<SourceRepository, 'find'>;
  readonly configs: Pick<SourceConfigs, 'connection'>;
  readonly users: Pick<UserRepository, 'findById'>;
  readonly notifier: Notifier;
  readonly mailer: Mailer | undefined;
  /** `svc.idp.alert-to`. */
  readonly alertTo: readonly string[];
}

/** Tells new users of their accounts, and operators of sources that need them. */
export class MailService {
  readonly #deps: MailServiceDependencies;

  constructor(dependencies: MailServiceDependencies) {
    this.#deps = dependencies;
  }

  async on(topic: string, payload: unknown): Promise<void> {
    if (topic === USER_PROVISIONED) await this.#welcome(provisioned().parse(payload));
    else await this.#alert(topic, alert().parse(payload));
  }

  async #welcome({ userId, sourceId, key }: z.output<ReturnType<typeof provisioned>>) {
    const { users, repository, configs, notifier } = this.#deps;
    const account = await users.findById(userId);
    if (!canBeTold(account)) return;
    const source = await repository.find(sourceId);
    const connection = source && (await configs.connection(source));
    await notifier.notify(account, connection?.notifyTemplateCode, { key });
  }

  async #alert(
    topic: string,
    { sourceId, batch = '', reasonCode, reason }: z.output<ReturnType<typeof alert>>,
  ): Promise<void> {
    const { repository, mailer, alertTo } = this.#deps;
    if (!mailer || alertTo.length === 0) return;
    const { name = sourceId } = (await repository.find(sourceId)) ?? {};
    const facts = { name, batch, why: reasonCode ?? reason ?? 'no reason given' };
    const mail = filled(textOf(topic), facts);
    for (const to of alertTo) await mailer.send({ ...mail, to });
  }
}

function textOf(topic: string) {
  if (topic === SOURCE_DISABLED) {
    return {
      subject: 'Identity source {{name}} was disabled',
      text: 'The source {{name}} has failed for weeks and is not synchronised any more ({{why}}).\n',
    };
  }
  return topic === SYNC_SUSPENDED
    ? {
        subject: 'Identity source {{name}} waits for an approval',
        text: 'The run {{batch}} of the source {{name}} was held back ({{why}}). Look at its records, then approve or cancel it.\n',
      }
    : {
        subject: 'Identity source {{name}} could not be synchronised',
        text: 'The run {{batch}} of the source {{name}} failed ({{why}}).\n',
      };
}
