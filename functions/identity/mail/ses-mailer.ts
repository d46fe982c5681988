import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { sendLimits } from '../../../shared/primitives/request-limits.ts';
import type { Mail, Mailer } from './mailer.ts';

/** Amazon SES; a file of its own, so that it is loaded with the first mail only. */
export class SesMailer implements Mailer {
  readonly #from: string;
  readonly #client: Pick<SESv2Client, 'send'>;

  constructor(from: string, client: Pick<SESv2Client, 'send'> = new SESv2Client(sendLimits)) {
    this.#from = from;
    this.#client = client;
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    const command = new SendEmailCommand({
      FromEmailAddress: this.#from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { Text: utf8(text), ...(html !== undefined && { Html: utf8(html) }) },
        },
      },
    });
    await this.#client.send(command);
  }
}

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
