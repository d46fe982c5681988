import type { Notifier, UserAccount } from '../../../shared/ports/identity.ts';
import type { SettingService } from '../../../shared/ports/settings.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { filled, type MailTemplate, NEW_ACCOUNT, templateOf } from './mail-template.ts';
import type { Mailer } from './mailer.ts';

interface MailNotifierDependencies {
  readonly mailer: Mailer | undefined;
  readonly settings: () => SettingService;
  readonly log: Log;
}

/** Sends notices as mail, by the template in the setting `notify.template.<code>`. */
export class MailNotifier implements Notifier {
  readonly #deps: MailNotifierDependencies;

  constructor(dependencies: MailNotifierDependencies) {
    this.#deps = dependencies;
  }

  async notify(
    { id, userName, email, fullName = userName }: Parameters<Notifier['notify']>[0],
    templateCode: string | undefined,
  ): Promise<void> {
    const { mailer, log } = this.#deps;
    if (!mailer || email === undefined) {
      log.warn('A notice was not sent: svc.idp.mail-from names no sender', { user: id });
      return;
    }
    const facts = { userName, fullName, email };
    await mailer.send({ ...filled(await this.#template(templateCode), facts), to: email });
  }

  async #template(code: string | undefined): Promise<MailTemplate> {
    if (code === undefined) return NEW_ACCOUNT;
    const name = `notify.template.${code}`;
    const setting = await this.#deps.settings().getValue(name);
    const template = setting === undefined ? undefined : templateOf(setting);
    if (template) return template;
    this.#deps.log.warn('A setting is no template of a mail; the built-in text is sent', { name });
    return NEW_ACCOUNT;
  }
}

/** Whether a notice may go to an account: it can be logged in with, and has an address. */
export const canBeTold = (account: UserAccount | undefined): account is UserAccount =>
  account?.status === 'ENABLED' && account.email !== undefined;
